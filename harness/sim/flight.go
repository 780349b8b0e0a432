package sim

import (
	"time"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/upstream"
)

// flight is one client request on its way through the proxy.
type flight struct {
	t      *traffic
	id     event.Request
	user   int // of a closed loop, -1 otherwise
	line   line
	worker int           // the line's, by which groups and caches are found
	number int           // the worker's in events
	sent   time.Duration // by the client
	req    upstream.Request

	// gen goes up with every step forward, so that what was scheduled for an
	// earlier one is stale; life goes up with every reuse of the flight.
	gen, life uint32

	// x and own are the memory of the attempt's exchange and of a connection that
	// isn't kept; conn is the connection in use.
	x        exchange
	own      conn
	conn     *conn
	asked    time.Duration // the attempt's request was sent whole
	script   *fault.Script
	sights   []fault.Sight
	outcome  event.Outcome
	cut      event.Outcome // how a truncated body broke off
	status   int           // of the backend's response
	passing  bool          // its header went to the client
	deserted bool          // the client left, but proxy_ignore_client_abort is on
}

func (s *Sim) newFlight() *flight {
	if n := len(s.free); n > 0 {
		f := s.free[n-1]
		s.free = s.free[:n-1]
		*f = flight{req: f.req, sights: f.sights[:0], gen: f.gen + 1, life: f.life + 1}
		return f
	}
	return &flight{}
}

// begin lets the proxy take the request in.
func (s *Sim) begin(f *flight) {
	f.number = s.number(f.worker)
	l := f.t.location
	switch {
	case l == nil:
		s.answer(f, 404)
	case l.Return != nil:
		s.answer(f, l.Return.Status)
	case l.Pass == nil:
		s.answer(f, 404)
	default:
		w := &s.workers[f.worker]
		u := l.Pass.Upstream
		from := f.t.clientOf(f.id.N)
		s.follow(f, f.req.Begin(w.groups[u], w.caches[u].modelOrNil(), upstream.Arrival{
			ID: f.id, Method: f.t.plan.Spec.Method, Worker: f.number, Policy: l.Pass.Policy,
			ClientAddr: from.address, Key: from.key, Seed: s.plan.Seed,
		}, s.now))
	}
}

// follow carries out a decision of the model.
func (s *Sim) follow(f *flight, d upstream.Decision) {
	f.gen++
	switch d.Action {
	case upstream.Try:
		s.attempt(f, d)
	case upstream.Answer:
		s.answer(f, d.Status)
	case upstream.Pass:
		f.status, f.passing = d.Status, true
		s.pass(f)
	}
}

// answer ends the request with the proxy's own answer.
func (s *Sim) answer(f *flight, status int) {
	s.finish(f, status, event.Passed, status)
}

// finish tells what the proxy logs and what the client saw, and lets the user go on.
func (s *Sim) finish(f *flight, logged int, seen event.Outcome, status int) {
	s.sink.Emit(event.Event{At: s.now, Kind: event.ProxyAnswered, Request: f.id, Status: logged, Worker: f.number})
	if f.deserted {
		s.retire(f)
		return
	}
	s.respond(f, seen, status)
	s.retire(f)
}

// respond tells what the client saw and lets it go on.
func (s *Sim) respond(f *flight, seen event.Outcome, status int) {
	s.hangUp(f, seen, status)
	s.sink.Emit(event.Event{At: s.now, Kind: event.ResponseEnded, Request: f.id, Outcome: seen, Status: status})
	s.answered(f.t, f.user)
}

func (s *Sim) retire(f *flight) {
	f.gen++
	f.life++
	f.conn, f.script = nil, nil
	s.active--
	s.free = append(s.free, f)
}

// clientTimeout lets the client leave. nginx sees that at once, closes the
// upstream connection and logs 499; with proxy_ignore_client_abort it goes on.
func (s *Sim) clientTimeout(f *flight) {
	if f.deserted {
		return
	}
	if p := f.t.location; p != nil && p.Pass != nil && p.Pass.IgnoreClientAbort {
		f.deserted = true
		s.respond(f, event.ClientTimeout, 0)
		return
	}
	f.req.End(s.now, event.Aborted, f.status)
	logged := 499
	if f.passing {
		logged = f.status
	}
	s.finish(f, logged, event.ClientTimeout, 0)
}
