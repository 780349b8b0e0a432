package admin

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"time"
)

// Server is the admin API on a port of its own.
type Server struct {
	http   *http.Server
	ln     net.Listener
	cancel context.CancelFunc
	ended  chan struct{}
}

// Address reads where the API is to listen: "9100" and ":9100" are ports of
// 127.0.0.1. Anywhere but on loopback it would be open to everybody who can
// reach the machine, so that has to be asked for.
func Address(text string, anywhere Anywhere) (netip.AddrPort, error) {
	port := text
	if len(text) > 0 && text[0] == ':' {
		port = text[1:]
	}
	if n, err := strconv.ParseUint(port, 10, 16); err == nil {
		return netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), uint16(n)), nil
	}
	a, err := netip.ParseAddrPort(text)
	switch {
	case err != nil:
		return a, fmt.Errorf("want a port, or an IP address with one, got %q", text)
	case !a.Addr().IsLoopback() && anywhere != Allowed:
		return a, fmt.Errorf("%s is not a loopback address: whoever reaches it could change the backends (--admin-anyone allows that)", text)
	}
	return a, nil
}

// Anywhere says whether the API may listen elsewhere than on loopback.
type Anywhere uint8

const (
	// Refused is the default.
	Refused Anywhere = iota
	// Allowed is for those who asked for it.
	Allowed
)

// Serve serves the admin API of the backends until Close.
func (f *Fleet) Serve(at netip.AddrPort) (*Server, error) {
	ln, err := net.Listen("tcp", at.String())
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	s := &Server{ln: ln, cancel: cancel, ended: make(chan struct{})}
	s.http = &http.Server{
		Handler: f.Handler(), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute,
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	go func() { defer close(s.ended); _ = s.http.Serve(ln) }()
	return s, nil
}

// URL is the API's address, "http://127.0.0.1:9100".
func (s *Server) URL() string { return "http://" + s.ln.Addr().String() }

// Close ends the API and every call to it.
func (s *Server) Close() error {
	s.cancel()
	err := s.http.Close()
	<-s.ended
	return err
}
