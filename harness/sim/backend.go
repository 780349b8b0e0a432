package sim

import (
	"time"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/plan"
)

// backend is one server as the simulator knows it.
type backend struct {
	name  string
	rules fault.Rules
	doors fault.Doors
	state fault.State
	seed  uint64
	// backlog is the length of the accept queue, 0 without a limit; queued are those
	// in it while nothing is accepted.
	backlog, queued int
	// unix is true when it listens on a unix socket.
	unix bool
	// limit is that of its connections, nil for none; crowd is what it counts.
	limit *fault.Limit
	crowd crowd
	// connections and requests counted so far, for the rules' numbers.
	connections, requests int
	// waiting are the exchanges, on any backend, that wait until this one has read
	// more requests.
	waiting []*exchange
}

// door is the door's state at t.
func (b *backend) door(t time.Duration) fault.Door {
	d, _, _ := b.doors.At(t)
	return d
}

// conn is one connection between the proxy and a backend.
type conn struct {
	b         *backend
	number    int // on its backend, from 1; 0 until accepted
	exchanges int
	opened    time.Duration
	peer      int
	counted   bool // among those that the backend's limit is about
	// timer is there once the connection was kept; until is the end of its idle time.
	timer *idleTimer
	until time.Duration
	// dead is true once the backend doesn't read from it any more.
	dead bool
	// busy is when the backend is done with the last request.
	busy time.Duration
	// ends is how the backend ends the idle connection at closes; 0 when it doesn't.
	ends   fault.Op
	closes time.Duration
	// left is what else it sends then, nil for nothing; user is the exchange that has
	// the connection once it was kept, nil while it is idle.
	left *leftover
	user *exchange
}

// exchange is one request as it reaches a backend. It outlives the attempt: a
// thawed process reads requests whose clients left long ago.
type exchange struct {
	b       *backend
	conn    *conn
	request event.Request
	trip    *plan.Trip
	f       *flight
	// gen and life are the flight's.
	gen, life uint32
	// behind is what comes before its answer, nil for nothing.
	behind *leftover
	// script and keep are what is left to do behind the barrier.
	script  *fault.Script
	keep    *fault.Keep
	barrier *fault.Barrier
	// garbled is true where what follows the head is no body, and seen to be none.
	garbled bool
	// taken is how much of the request's body was read before the barrier.
	taken int64
	// again is what there is to do when it has room, if it had to wait for it.
	again do
}

// outlive gives the exchange memory of its own: the attempt may be over, and its
// flight used for another request, long before the backend reads it.
func (x *exchange) outlive() *exchange {
	late := *x
	if x.conn.timer == nil { // else it isn't the flight's own
		own := *x.conn
		late.conn = &own
		if x.f.conn == x.conn {
			x.f.conn = &own
		}
	}
	if x.conn.user == x {
		late.conn.user = &late
	}
	return &late
}

// pick chooses the script for an exchange that is read at now, and counts it;
// keep is how long the connection is kept afterwards, nil for ever.
func (s *Sim) pick(x *exchange) (script *fault.Script, keep *fault.Keep) {
	b := x.b
	b.requests++
	x.conn.exchanges++
	if len(b.rules) == 0 {
		return b.rules.Pick(nil).Script.For(&fault.Exchange{Method: x.trip.Method}), nil
	}
	s.read = x
	s.facts.Method, s.facts.Path, s.facts.Header, s.facts.At = x.trip.Method, x.trip.URI, x.trip.Header, s.now
	s.facts.Request, s.facts.Connection, s.facts.Exchange = b.requests, x.conn.number, x.conn.exchanges
	if s.facts.Body = x.trip.Body; x.trip.Chunked {
		s.facts.Body = -1 // nobody has told
	}
	script, keep = b.state.Answer(b.rules, &s.facts, b.doors.Thaw)
	if timeout := x.f.t.plan.Spec.Client.Timeout; script.Endless > 0 && timeout > 0 && x.f.gen == x.gen {
		script = script.Within(x.f.sent + timeout - s.now)
	}
	return script, keep
}

// reuse says what a request on a connection that has served others meets before
// it is read: 0 for nothing unusual. A process that is back from a freeze finds
// its timer's end before the request.
func (s *Sim) reuse(x *exchange) fault.Op {
	c := x.conn
	switch {
	case c.exchanges == 0 || len(x.b.rules) == 0:
		return 0
	case x.b.door(s.now) == fault.Stopping:
		return fault.Close
	case c.dead:
		return fault.Stall
	case c.ends != 0 && c.closes <= s.now:
		return c.ends
	}
	n := c.exchanges + 1
	f := x.b.rules.PickIn(fault.OnReuse, &fault.Exchange{At: s.now, Connection: c.number, Exchange: n,
		Draw: func(rule int) float64 { return fault.DrawReuse(x.b.seed, x.b.name, rule, c.number, n) }})
	if f == nil {
		return 0
	}
	s.tellCut(x, f.Name())
	return f.OnReuse
}

// tellCut tells that a backend ends a connection, or lets it hang, instead of
// reading a request.
func (s *Sim) tellCut(x *exchange, what string) {
	s.sink.Emit(event.Event{At: s.now, Kind: event.BackendCut, Peer: x.b.name, Cached: x.conn.exchanges > 0, Detail: what})
}

// accept counts a connection and says what happens to it at once, nil for nothing.
func (s *Sim) accept(x *exchange) *fault.Fault {
	x.b.connections++
	x.conn.number = x.b.connections
	if l := s.count(x); l != nil {
		s.tellCut(x, "connections")
		return &fault.Fault{AtAccept: l.Full}
	}
	if len(x.b.rules) == 0 {
		return nil
	}
	f := x.b.rules.PickAtAccept(&fault.Exchange{At: s.now, Connection: x.conn.number, Draw: x.drawConn})
	if f != nil && f.AtAccept != 0 {
		s.tellCut(x, f.Name())
	}
	return f
}

// draw is the keyed draw for the exchange that is being read.
func (s *Sim) draw(rule int) float64 { return s.read.draw(rule) }

// length is the keyed draw for a step of the exchange that is being read.
func (s *Sim) length(step int) float64 {
	return fault.DrawLength(s.read.b.seed, s.read.b.name, step, s.read.request.String())
}

func (x *exchange) draw(rule int) float64 {
	return fault.DrawRequest(x.b.seed, x.b.name, rule, x.request.String())
}

// drawConn is the draw of a connection: no request has been read yet.
func (x *exchange) drawConn(rule int) float64 {
	return fault.DrawConnection(x.b.seed, x.b.name, rule, x.conn.number)
}
