package container

import (
	"syscall"

	"github.com/nolive/nolive/proxy/nginx"
)

// held are free ports of 127.0.0.1 that nobody else gets while we hold them,
// and that nginx can listen on all the same: our sockets are bound with
// SO_REUSEADDR and don't listen. nginx sets that option too, so the kernel lets
// it bind the same port; who asks for any free port gets another one.
type held struct {
	addresses []string
	fds       []int
}

func hold(n int) (*held, error) {
	h := &held{}
	for range n {
		if err := h.add(); err != nil {
			h.release()
			return nil, &nginx.PortError{Message: err.Error()}
		}
	}
	return h, nil
}

func (h *held) add() error {
	fd, address, err := nginx.BindFree(syscall.SO_REUSEADDR)
	if err != nil {
		return err
	}
	h.fds, h.addresses = append(h.fds, fd), append(h.addresses, address)
	return nil
}

// release gives the ports back.
func (h *held) release() {
	for _, fd := range h.fds {
		syscall.Close(fd)
	}
	h.fds = nil
}
