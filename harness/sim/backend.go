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

// pick chooses the fault for an exchange that is read at now, and counts it.
func (x *exchange) pick(now time.Duration) *fault.Fault {
	b := x.b
	b.requests++
	x.conn.exchanges++
	if len(b.rules) == 0 {
		return b.rules.Pick(nil)
	}
	return b.rules.Pick(&fault.Exchange{
		Method: x.t.plan.Spec.Method, Path: x.t.uri, Header: x.t.header, At: now,
		Request: b.requests, Connection: x.conn.number, Exchange: x.conn.exchanges,
		Draw: x.draw,
	})
}

// accept counts a connection and says what happens to it at once.
func (x *exchange) accept(now time.Duration) fault.Op {
	x.b.connections++
	x.conn.number = x.b.connections
	if len(x.b.rules) == 0 {
		return 0
	}
	return x.b.rules.AtAccept(&fault.Exchange{At: now, Connection: x.conn.number, Draw: x.drawConn})
}

func (x *exchange) draw(rule int) float64 {
	return fault.Draw(x.b.seed, "share", x.b.name, strconv.Itoa(rule), x.request.String())
}

// drawConn is the draw of a connection: no request has been read yet.
func (x *exchange) drawConn(rule int) float64 {
	return fault.Draw(x.b.seed, "share", x.b.name, strconv.Itoa(rule), "connection "+strconv.Itoa(x.conn.number))
}
