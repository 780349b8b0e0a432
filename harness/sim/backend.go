package sim

import (
	"strconv"
	"time"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/event"
)

// backend is one server as the simulator knows it.
type backend struct {
	name    string
	rules   fault.Rules
	changes []fault.DoorChange
	seed    uint64
	// connections and requests counted so far, for the rules' numbers.
	connections, requests int
}

// door is the door's state at t.
func (b *backend) door(t time.Duration) fault.Door {
	d, _ := b.segment(t)
	return d
}

// segment returns the door at t and the instant of its next change, 0 for never.
func (b *backend) segment(t time.Duration) (fault.Door, time.Duration) {
	i := len(b.changes) - 1
	for i > 0 && b.changes[i].At > t {
		i--
	}
	if i+1 < len(b.changes) {
		return b.changes[i].Door, b.changes[i+1].At
	}
	return b.changes[i].Door, 0
}

// thaw maps an instant at which the backend would act to the one at which it
// can: a stopped process and a host that is gone stand still until that ends.
func (b *backend) thaw(t time.Duration) (time.Duration, bool) {
	if len(b.changes) == 1 && b.changes[0].Door == fault.Open {
		return t, true
	}
	for {
		switch d, next := b.segment(t); {
		case d == fault.Open, d == fault.Refusing:
			return t, true
		case next == 0:
			return 0, false
		default:
			t = next
		}
	}
}

// refusesAfter returns the first instant from t on at which the port is closed,
// and with it every open connection.
func (b *backend) refusesAfter(t time.Duration) (time.Duration, bool) {
	for _, c := range b.changes {
		if c.Door == fault.Refusing && c.At >= t {
			return c.At, true
		}
	}
	return 0, false
}

// conn is one connection between the proxy and a backend.
type conn struct {
	b         *backend
	number    int // on its backend, from 1; 0 until accepted
	exchanges int
	opened    time.Duration
	peer      int
	cache     *cache
}

// exchange is one request as it reaches a backend. It outlives the attempt: a
// thawed process reads requests whose clients left long ago.
type exchange struct {
	b       *backend
	conn    *conn
	request event.Request
	t       *traffic
	f       *flight
	gen     uint32
}

// outlive gives the exchange memory of its own: the attempt may be over, and its
// flight used for another request, long before the backend reads it.
func (x *exchange) outlive() *exchange {
	late, own := *x, *x.conn
	late.conn = &own
	if x.f.conn == x.conn {
		x.f.conn = &own
	}
	return &late
}

// pick chooses the fault for an exchange that is read at now, and counts it.
func (s *Sim) pick(x *exchange) *fault.Fault {
	b := x.b
	b.requests++
	x.conn.exchanges++
	if len(b.rules) == 0 {
		return b.rules.Pick(nil)
	}
	s.read = x
	s.facts.Method, s.facts.Path, s.facts.Header, s.facts.At = x.t.plan.Spec.Method, x.t.uri, x.t.header, s.now
	s.facts.Request, s.facts.Connection, s.facts.Exchange = b.requests, x.conn.number, x.conn.exchanges
	return b.rules.Pick(&s.facts)
}

// accept counts a connection and says what happens to it at once.
func (s *Sim) accept(x *exchange) fault.Op {
	x.b.connections++
	x.conn.number = x.b.connections
	if len(x.b.rules) == 0 {
		return 0
	}
	return x.b.rules.AtAccept(&fault.Exchange{At: s.now, Connection: x.conn.number, Draw: x.drawConn})
}

// draw is the keyed draw for the exchange that is being read.
func (s *Sim) draw(rule int) float64 { return s.read.draw(rule) }

func (x *exchange) draw(rule int) float64 {
	return fault.Draw(x.b.seed, "share", x.b.name, strconv.Itoa(rule), x.request.String())
}

// drawConn is the draw of a connection: no request has been read yet.
func (x *exchange) drawConn(rule int) float64 {
	return fault.Draw(x.b.seed, "share", x.b.name, strconv.Itoa(rule), "connection "+strconv.Itoa(x.conn.number))
}
