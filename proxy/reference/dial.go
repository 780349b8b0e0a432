package reference

import (
	"context"
	"errors"
	"net"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/nolive/nolive/harness/clock"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/nginxconf"
)

// dialer connects without keep-alive probes, as nginx does.
var dialer = net.Dialer{KeepAlive: -1}

// errLocal: the proxy itself is in trouble, nginx's 500.
var errLocal = errors.New("no socket")

// dialing is the context of one connect: it ends with the client. Unlike a
// context.WithCancel it needs no goroutine to be watched.
type dialing struct {
	c        *client
	deadline time.Time
}

func (d *dialing) Deadline() (time.Time, bool) { return d.deadline, true }
func (d *dialing) Done() <-chan struct{}       { return d.c.stopped }
func (d *dialing) Value(any) any               { return nil }

func (d *dialing) Err() error {
	if d.c.halted() {
		return context.Canceled
	}
	return nil
}

// AfterFunc is what package context looks for before it starts a goroutine.
func (d *dialing) AfterFunc(f func()) (stop func() bool) {
	c := d.c
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stop.Load() {
		go f()
		return func() bool { return false }
	}
	c.cancel = f
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.cancel = nil
		return !c.stop.Load()
	}
}

// connect opens a connection to a peer. The outcome says how it failed, 0 when
// it didn't; err is errHalted or errLocal.
func (c *client) connect(n *node, peer int, pass *nginxconf.Pass) (*upconn, event.Outcome, error) {
	c.doing.Store(connecting)
	if c.account != nil {
		c.proxy.conns.Add(1) // nginx numbers those to backends with the others
	}
	d := &dialing{c, c.later(pass.ConnectTimeout)}
	// Not DialTCP: given a zero local address it binds, which is slow and ties up
	// a port for a minute.
	network, address := "tcp", n.addresses[peer]
	if path, ok := strings.CutPrefix(address, "unix:"); ok {
		network, address = "unix", path
	}
	dialed, err := dialer.DialContext(d, network, address)
	switch {
	case err == nil:
	case c.halted():
		return nil, 0, errHalted
	case errors.Is(err, os.ErrDeadlineExceeded):
		c.late(d.deadline)
		return nil, event.ConnectTimeout, nil
	case noSocket(err):
		return nil, 0, errLocal
	default:
		if errors.Is(err, syscall.EAGAIN) {
			c.model.QueueFull()
		}
		if c.account != nil {
			c.account.cause.notConnected(err, n.addresses[peer])
		}
		return nil, event.Refused, nil
	}
	conn := dialed.(streamConn)
	if pass.TLS {
		secure, o, err := c.handshake(conn, d)
		if o != 0 || err != nil {
			return nil, o, err
		}
		conn = secure
	}
	u := &upconn{node: n, opened: c.proxy.clock.Now()}
	if err := u.sock.init(conn); err != nil {
		_ = conn.Close()
		return nil, 0, errLocal
	}
	return u, 0, nil
}

// noSocket is true when not even the socket could be made.
func noSocket(err error) bool {
	var s *os.SyscallError
	return errors.As(err, &s) && s.Syscall == "socket"
}

// late notes how late a time-out was noticed.
func (c *client) late(deadline time.Time) {
	c.proxy.clock.NoteLate(clock.Wait, deadline)
}
