package backends

import (
	"errors"
	"io"
	"os"
	"time"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/event"
)

// The two patiences below are real time: they bound what another process does.
const (
	// finPatience is how long the other side may take to close after our FIN.
	finPatience = 2 * time.Second
	// rstPatience is how long it may take to make room for what was written.
	rstPatience = 5 * time.Second
)

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
	tcp := c.wire.conn
	if c.tls != nil {
		_ = c.tls.CloseWrite() // says so in TLS before the FIN does
	}
	if tcp.CloseWrite() != nil {
		return
	}
	end := time.Now().Add(finPatience)
	buf := c.out[:cap(c.out)]
	for {
		tcp.SetReadDeadline(end)
		_, err := tcp.Read(buf)
		woken := errors.Is(err, os.ErrDeadlineExceeded) && time.Now().Before(end)
		if err != nil && !woken {
			return
		}
	}
}

// rst cuts the connection. A reset throws away what the kernel hasn't sent yet,
// so this waits until everything written is on its way.
func (c *conn) rst() {
	tcp := c.wire.conn
	end, pause := time.Now().Add(rstPatience), 100*time.Microsecond
	for unsent(tcp) > 0 && time.Now().Before(end) {
		select {
		case <-c.wire.ctx.Done():
			return
		case <-time.After(pause):
			pause = min(2*pause, 10*time.Millisecond)
		}
	}
	tcp.SetLinger(0)
	tcp.Close()
}
