package backends

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// port is one TCP port in all its states. A second socket, the anchor, is bound
// to it all the time and never listens: while nobody else does, the kernel
// answers a SYN with RST, and gives the port to nobody, not even as the
// ephemeral port of a client, which could then connect to itself.
type port struct {
	addr   netip.AddrPort
	anchor int
	// ln is nil while the port refuses.
	ln *net.TCPListener
	// plug fills the accept queue while the port drops SYNs, and plugs are the
	// addresses of plugs that may still be in the queue.
	plug  net.Conn
	plugs []netip.AddrPort
	// queue is the length of the accept queue.
	queue int
}

var _ gate = (*port)(nil)

// reserve binds the anchor; the port refuses.
func reserve(addr netip.AddrPort) (*port, error) {
	family, sa := unix.AF_INET, unix.Sockaddr(&unix.SockaddrInet4{Port: int(addr.Port())})
	if addr.Addr().Is4() {
		sa.(*unix.SockaddrInet4).Addr = addr.Addr().As4()
	} else {
		family, sa = unix.AF_INET6, &unix.SockaddrInet6{Port: int(addr.Port()), Addr: addr.Addr().As16()}
	}
	// A process started meanwhile (nginx) must not inherit the descriptor.
	syscall.ForkLock.RLock()
	fd, err := unix.Socket(family, unix.SOCK_STREAM, 0)
	if err == nil {
		unix.CloseOnExec(fd)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	p := &port{anchor: fd}
	if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1); err != nil {
		p.close()
		return nil, os.NewSyscallError("setsockopt", err)
	}
	if err := bind(fd, sa); err != nil {
		p.close()
		return nil, os.NewSyscallError("bind", err)
	}
	name, err := unix.Getsockname(fd)
	if err != nil {
		p.close()
		return nil, os.NewSyscallError("getsockname", err)
	}
	switch name := name.(type) {
	case *unix.SockaddrInet4:
		p.addr = netip.AddrPortFrom(addr.Addr(), uint16(name.Port))
	case *unix.SockaddrInet6:
		p.addr = netip.AddrPortFrom(addr.Addr(), uint16(name.Port))
	}
	return p, nil
}

// The ports tried when the kernel has no free one left: those below its
// ephemeral range, which outgoing connections don't take.
const (
	firstPort = 10000
	lastPort  = 19999
)

// bind binds to an address. After many connections every ephemeral port may be
// in TIME_WAIT for a minute; then the kernel finds none for port 0.
func bind(fd int, sa unix.Sockaddr) error {
	err := unix.Bind(fd, sa)
	v4, ok := sa.(*unix.SockaddrInet4)
	if !ok || v4.Port != 0 {
		return err
	}
	for port := firstPort; errors.Is(err, unix.EADDRINUSE) && port <= lastPort; port++ {
		err = unix.Bind(fd, &unix.SockaddrInet4{Addr: v4.Addr, Port: port})
	}
	return err
}

// listen lets the kernel complete connects and queue them.
func (p *port) listen() error {
	if p.ln == nil {
		// Plain TCP, so that RST and FIN are what they are, and no keep-alive
		// probes, which cost four system calls a connection.
		lc := net.ListenConfig{KeepAlive: -1}
		lc.SetMultipathTCP(false)
		ln, err := lc.Listen(context.Background(), "tcp", p.addr.String())
		if err != nil {
			return err
		}
		p.ln = ln.(*net.TCPListener)
		if p.queue > 0 {
			return backlog(p.ln, p.queue)
		}
		return nil
	}
	if p.plug != nil {
		p.plug.Close()
		p.plug = nil
	}
	return backlog(p.ln, cmp.Or(p.queue, 1<<16)) // the kernel lowers it to somaxconn
}

// blackhole leaves SYNs unanswered: Linux drops them while the accept queue is
// longer than the backlog. The plug goes in before the backlog shrinks, so that
// no client can take its place.
func (p *port) blackhole() error {
	if err := p.listen(); err != nil {
		return err
	}
	plug, err := net.DialTimeout("tcp", p.addr.String(), time.Second)
	var late net.Error
	switch {
	case err == nil:
		p.plug = plug
		p.plugs = append(p.plugs, plug.LocalAddr().(*net.TCPAddr).AddrPort())
	case !errors.As(err, &late) || !late.Timeout():
		return err
	}
	// A plug that timed out found the queue full of clients, which does as well.
	return backlog(p.ln, 0)
}

// refuse closes the listener; the kernel resets what is queued.
func (p *port) refuse() {
	if p.ln != nil {
		shut(p.ln)
		p.ln = nil
	}
	if p.plug != nil {
		p.plug.Close()
		p.plug = nil
	}
	p.plugs = nil
}

// shut closes a listener for everybody: a process that is just being started has a
// copy of its descriptor for some milliseconds, by which the kernel would still
// complete connects.
func shut(ln interface {
	syscall.Conn
	io.Closer
}) {
	if raw, err := ln.SyscallConn(); err == nil {
		raw.Control(func(fd uintptr) { unix.Shutdown(int(fd), unix.SHUT_RDWR) })
	}
	ln.Close()
}

// backlog sets the length of the accept queue on the listening socket itself.
func backlog(ln syscall.Conn, n int) error {
	raw, err := ln.SyscallConn()
	if err != nil {
		return err
	}
	var lerr error
	if err := raw.Control(func(fd uintptr) { lerr = unix.Listen(int(fd), n) }); err != nil {
		return err
	}
	return os.NewSyscallError("listen", lerr)
}

// accept takes the next connection, or a plug, out of the queue.
func (p *port) accept() (socket, error) {
	tcp, err := p.ln.AcceptTCP()
	if err != nil {
		return nil, err
	}
	if p.isPlug(tcp) {
		tcp.Close()
		return nil, nil
	}
	return tcpSocket{tcp}, nil
}

func (p *port) address() string { return p.addr.String() }

func (p *port) until(t time.Time) { p.ln.SetDeadline(t) }

// isPlug recognises a plug that comes out of the queue.
func (p *port) isPlug(tcp *net.TCPConn) bool {
	if len(p.plugs) == 0 {
		return false
	}
	i := slices.Index(p.plugs, tcp.RemoteAddr().(*net.TCPAddr).AddrPort())
	if i < 0 {
		return false
	}
	p.plugs = slices.Delete(p.plugs, i, i+1)
	return true
}

// close frees the port.
func (p *port) close() {
	p.refuse()
	unix.Close(p.anchor)
}
