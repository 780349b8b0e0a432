package backends

import (
	"errors"
	"io"
	"os"
	"time"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/event"
)

// finPatience is how long the other side may take to close after our FIN, in real time.
const finPatience = 2 * time.Second

// cutAtAccept ends the connection before its first request was read, or more of
// it than a few bytes.
func (c *conn) cutAtAccept(f *fault.Fault, at time.Duration) {
	if f.AcceptRead > 0 {
		if _, err := io.ReadFull(&c.wire, make([]byte, f.AcceptRead)); err != nil {
			return
		}
		at = c.s.now()
	}
	if f.AcceptAfter > 0 {
		c.unread.Store(true)
		_, ok := c.sleep(at + f.AcceptAfter)
		if c.unread.Store(false); !ok {
			return
		}
	}
	c.end(f.AtAccept)
}

// tellCut tells that the connection ends, or hangs, instead of having a request read.
func (c *conn) tellCut(at time.Duration, what string) {
	c.s.opts.Sink.Emit(event.Event{At: at, Kind: event.BackendCut, Peer: c.s.opts.Name, Cached: c.exchange > 0, Detail: what})
}

// end closes or resets the connection, or leaves it dead.
func (c *conn) end(how fault.Op) {
	switch how {
	case fault.Reset:
		c.rst()
	case fault.Stall:
		c.watch(never)
	default:
		c.fin()
	}
}

// fin closes in the orderly way. The kernel sends RST for a socket that is
// closed with unread data, and the RST may overtake what the other side hasn't
// read yet; so this sends FIN first and reads until the other side closes too.
func (c *conn) fin() {
	socket := c.wire.conn
	c.unread.Store(false) // it is read until the other side closes
	socket.release()
	if c.tls != nil {
		_ = c.tls.CloseWrite() // says so in TLS before the FIN does
	}
	if socket.CloseWrite() != nil {
		return
	}
	end := time.Now().Add(finPatience)
	buf := c.out[:cap(c.out)]
	for {
		socket.SetReadDeadline(end)
		_, err := socket.Read(buf)
		woken := errors.Is(err, os.ErrDeadlineExceeded) && time.Now().Before(end)
		if err != nil && !woken {
			return
		}
	}
}

// rst cuts the connection.
func (c *conn) rst() { c.wire.conn.reset(c.wire.ctx.Done()) }
