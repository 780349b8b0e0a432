package container

import (
	"fmt"
	"os"
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
	// A process started meanwhile must not inherit the descriptor.
	syscall.ForkLock.RLock()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(fd)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return os.NewSyscallError("socket", err)
	}
	h.fds = append(h.fds, fd)
	if err := syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1); err != nil {
		return os.NewSyscallError("setsockopt", err)
	}
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return os.NewSyscallError("bind", err)
	}
	name, err := syscall.Getsockname(fd)
	if err != nil {
		return os.NewSyscallError("getsockname", err)
	}
	h.addresses = append(h.addresses, fmt.Sprintf("127.0.0.1:%d", name.(*syscall.SockaddrInet4).Port))
	return nil
}

// release gives the ports back.
func (h *held) release() {
	for _, fd := range h.fds {
		syscall.Close(fd)
	}
	h.fds = nil
}
