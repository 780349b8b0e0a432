package container

import (
	"context"

	"github.com/nolive/nolive/proxy/nginx"
)

// hostSeat is room for one nginx in a container that shares our network.
type hostSeat struct {
	*box
	ports *held
}

// bridgeSeat is a container on a bridge, for one nginx.
type bridgeSeat struct{ *box }

var (
	_ nginx.Seat = hostSeat{}
	_ nginx.Seat = bridgeSeat{}
)

func (s hostSeat) Listen() []string { return s.ports.addresses }
func (s hostSeat) Dial() []string   { return s.ports.addresses }

// Start starts a master in the container.
func (s hostSeat) Start(ctx context.Context, c nginx.Command) (nginx.Child, error) {
	return s.master(ctx, c)
}

// Leave gives the ports back; the container stays for others.
func (s hostSeat) Leave() error {
	s.ports.release()
	return nil
}

func (s bridgeSeat) Listen() []string { return s.listen }
func (s bridgeSeat) Dial() []string   { return s.dial }

// Start starts a master in the container.
func (s bridgeSeat) Start(ctx context.Context, c nginx.Command) (nginx.Child, error) {
	return s.master(ctx, c)
}

// Leave removes the container.
func (s bridgeSeat) Leave() error { return s.end() }
