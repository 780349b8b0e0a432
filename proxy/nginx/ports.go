package nginx

import (
	"fmt"
	"os"
	"strings"
	"syscall"

	"github.com/nolive/nolive/harness/freeport"
)

// ports are the loopback addresses that nginx listens on instead of the user's.
//
// We bind and listen ourselves and hand the sockets down, named in the
// environment variable NGINX, as nginx does for its own binary upgrade
// (ngx_add_inherited_sockets). So no other program can take a port between
// finding it and using it, and a client that connects before the first worker
// runs just waits.
type ports struct {
	addresses []string // aligned with what was asked for
	files     []*os.File
}

// backlog is nginx's own default for listen().
const backlog = 511

// reserve binds n loopback ports.
func reserve(n int) (*ports, error) {
	p := &ports{}
	for range n {
		if err := p.add(); err != nil {
			p.release()
			return nil, &PortError{err.Error()}
		}
	}
	return p, nil
}

// add binds one more port. The socket must not block: nginx takes an inherited
// one as it is, and a worker that another one beat to a connection would stand
// in accept() for ever. os.File turns a descriptor that it knows as
// non-blocking back to blocking when it is handed to a child, so the flag is
// set behind its back, and net.Listener.File wouldn't do.
func (p *ports) add() error {
	fd, address, err := BindFree(0)
	if err != nil {
		return err
	}
	p.files = append(p.files, os.NewFile(uintptr(fd), "listen"))
	p.addresses = append(p.addresses, address)
	if err := syscall.SetNonblock(fd, true); err != nil {
		return os.NewSyscallError("fcntl", err)
	}
	return os.NewSyscallError("listen", syscall.Listen(fd, backlog))
}

// BindFree makes a TCP socket, which no child inherits by itself, and binds it to a
// free port of 127.0.0.1; option is set to 1 before (SO_REUSEADDR), 0 is none. The
// address is host:port.
func BindFree(option int) (fd int, address string, err error) {
	// A process started meanwhile must not inherit the descriptor.
	syscall.ForkLock.RLock()
	fd, err = syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(fd)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return -1, "", os.NewSyscallError("socket", err)
	}
	if address, err = bindFree(fd, option); err != nil {
		_ = syscall.Close(fd)
		return -1, "", err
	}
	return fd, address, nil
}

func bindFree(fd, option int) (address string, err error) {
	if option != 0 {
		if err := syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, option, 1); err != nil {
			return "", os.NewSyscallError("setsockopt", err)
		}
	}
	if err := freeport.Bind(func(port int) error {
		return syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}, Port: port})
	}); err != nil {
		return "", os.NewSyscallError("bind", err)
	}
	name, err := syscall.Getsockname(fd)
	if err != nil {
		return "", os.NewSyscallError("getsockname", err)
	}
	return fmt.Sprintf("127.0.0.1:%d", name.(*syscall.SockaddrInet4).Port), nil
}

// release closes our descriptors; nginx keeps its own.
func (p *ports) release() {
	for _, f := range p.files {
		f.Close()
	}
	p.files = nil
}

// inherit is the value of NGINX for sockets that a child gets as descriptors 3, 4, ...
func (p *ports) inherit() string {
	var b strings.Builder
	for i := range p.files {
		fmt.Fprintf(&b, "%d;", 3+i)
	}
	return b.String()
}
