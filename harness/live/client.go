package live

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/nolive/nolive/harness/answer"
	"github.com/nolive/nolive/harness/clock"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/scenario"
)

// client sends the requests of one traffic. It is safe for concurrent use.
type client struct {
	spec   *scenario.Traffic
	clock  *clock.Clock
	sink   event.Sink
	flight *flight
	// fail ends the run as invalid: the harness itself can't go on.
	fail func(*invalid)
	// address is the proxy's, with a literal IP so that nothing is looked up.
	address string
	// sessions takes the connections to a stream server, nil for one of http.
	sessions *sessions
	// from is where a traffic's n-th request comes from, nil for wherever the
	// kernel takes.
	from func(n int) scenario.Address

	// tls is how connections begin, nil for in plain.
	tls *tls.Config

	head   head
	dialer net.Dialer
	conns  *sync.Pool
}

// synRepeat is when the kernel sends a SYN again that nobody answered. A
// handshake that took longer waited for the proxy; one that didn't, for us.
const synRepeat = time.Second

// newClient completes a client whose fields up to from are set.
func newClient(c client, host string) *client {
	c.head = newHead(c.spec, host)
	c.conns = newConns()
	c.dialer.KeepAlive = -1 // probes would outlast no run and cost four calls a connection
	return &c
}

// begin notes a request that is sent now, planned at the instant at; nil when
// too many are under way, which ends the run.
func (c *client) begin(r event.Request, at time.Duration) *outstanding {
	o := c.flight.begin(r, at)
	if o == nil {
		c.fail(&invalid{
			reason: fmt.Sprintf("%s could not be sent: %d requests are under way, the limit", r, c.flight.limit),
			again:  c.clock.Speed() > 1,
		})
		return nil
	}
	c.sink.Emit(event.Event{At: at, Kind: event.RequestSent, Request: r})
	return o
}

// send sends a request that has begun, and returns when its answer was over. It
// is false when the run ended first; then nobody knows what the answer would
// have been, and nothing is emitted.
func (c *client) send(ctx context.Context, idle *idle, o *outstanding) (time.Duration, bool) {
	a := c.exchange(ctx, idle, o)
	now := c.clock.Now()
	c.flight.end(o, now, a.Outcome)
	if a.Outcome == 0 {
		return 0, false
	}
	if a.Outcome == event.ClientTimeout {
		a.Status = 0 // whatever had come by then isn't the answer
	}
	c.sink.Emit(event.Event{At: now, Kind: event.ResponseEnded, Request: o.request, Outcome: a.Outcome, Status: a.Status})
	return now, true
}

// late notes how late a request was sent.
func (c *client) late(o *outstanding, by time.Duration) {
	o.late = max(by, 0)
	c.clock.Lateness().Note(clock.Send, by)
}

// exchange carries one request out. Outcome 0 means that the run ended first.
func (c *client) exchange(ctx context.Context, idle *idle, o *outstanding) answer.Answer {
	var deadline time.Time
	if c.spec.Client.Timeout > 0 {
		deadline = c.clock.Instant(o.sent + c.spec.Client.Timeout)
	}
	due := o.sent // when asked again, the end of the connection it was asked on
	late := c.clock.Now() - due
	var from scenario.Address
	if c.from != nil {
		from = c.from(o.request.N)
	}
	var cn *conn
	if c.spec.Client.Keepalive {
		cn = idle.take(from)
	}
	for reused := cn != nil; ; reused = false {
		if cn == nil {
			began := time.Now()
			tcp, out := c.dial(ctx, from, deadline)
			if out != 0 || tcp == nil {
				c.late(o, late)
				return answer.Answer{Outcome: out}
			}
			if time.Since(began) < synRepeat {
				late = c.clock.Now() - due
			}
			stream, out := c.secure(ctx, tcp, deadline)
			if stream == nil {
				c.late(o, late)
				return answer.Answer{Outcome: out}
			}
			cn = newConn(c.conns, tcp, stream)
			cn.from = from
			if c.sessions != nil {
				c.sessions.note(tcp.LocalAddr().String(), c.address, c.clock.Now(), o.request)
			}
		}
		c.late(o, late)
		_ = cn.tcp.SetDeadline(deadline)
		c.flight.attach(o, cn.tcp)
		a := c.ask(cn, o.request.N)
		o.asked = cn.asked && c.sessions == nil
		c.flight.attach(o, nil)
		if ctx.Err() != nil && a.Outcome == event.ClientTimeout {
			a = answer.Answer{}
		}
		if a.Keep && c.spec.Client.Keepalive {
			idle.put(cn)
			return a
		}
		if a.Outcome == event.Passed {
			cn.cut()
			return a
		}
		cn.close()
		if !reused || !a.Nothing || a.Outcome != event.Closed {
			return a
		}
		cn, due = nil, c.clock.Now()
	}
}

// dial connects to the proxy, from an address unless it is zero. Without a
// connection it returns the outcome, or 0 when the run is over.
func (c *client) dial(ctx context.Context, from scenario.Address, deadline time.Time) (*net.TCPConn, event.Outcome) {
	d := c.dialer
	d.Deadline = deadline
	if from != (scenario.Address{}) {
		bindTo(&d, from)
	}
	// Not DialTCP: it binds to its zero local address first, and a port bound
	// so can't be used again while its last connection is in TIME_WAIT.
	conn, err := d.DialContext(ctx, "tcp", c.address)
	switch {
	case err == nil:
		return conn.(*net.TCPConn), 0
	case ctx.Err() != nil:
		return nil, 0
	case errors.Is(err, syscall.EMFILE):
		// As many are under way at any speed.
		c.fail(&invalid{reason: "a client could not open a connection: too many open files; raise the limit of this process (ulimit -n)"})
		return nil, 0
	case errors.Is(err, syscall.ENFILE), errors.Is(err, syscall.EADDRNOTAVAIL), errors.Is(err, syscall.ENOBUFS):
		c.fail(&invalid{reason: fmt.Sprintf("a client could not open a connection: %v", err), again: c.clock.Speed() > 1})
		return nil, 0
	case errors.Is(err, os.ErrDeadlineExceeded), isTimeout(err) && !deadline.IsZero() && !time.Now().Before(deadline):
		return nil, event.ClientTimeout
	}
	return nil, event.ClientRefused
}

func isTimeout(err error) bool {
	var t net.Error
	return errors.As(err, &t) && t.Timeout()
}
