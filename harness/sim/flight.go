package sim

import (
	"time"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/plan"
	"github.com/nolive/nolive/proxy/nginxconf"
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
	trip   *plan.Trip    // where it is on its way through the configuration
	req    upstream.Request
	// tries are those of earlier passes.
	tries int

	// gen goes up with every step forward, so that what was scheduled for an
	// earlier one is stale; life goes up with every reuse of the flight.
	gen, life uint32

	// x and own are the memory of the attempt's exchange and of a connection that
	// isn't kept; conn is the connection in use.
	x    exchange
	own  conn
	conn *conn
	// connectBy is when proxy_connect_timeout passes.
	connectBy time.Duration
	// asked is when the attempt began to send its request, sentBy when that was sent
	// whole.
	asked, sentBy time.Duration
	read          upstream.Timer // of what is read from the backend
	script        *fault.Script
	reading       *reading // of its response
	sights        []fault.Sight
	outcome       event.Outcome
	over          time.Duration // when what is due next happens
	cut           event.Outcome // how a truncated body broke off
	status        int           // of the backend's response
	upgraded      bool          // it passed a 101 on
	passing       bool          // its header went to the client; of a session: it is connected
	deserted      bool          // the client left, but proxy_ignore_client_abort is on
	left          time.Duration // when it did
	waiting       bool          // answered, but the client waits for more
	withheld      bool          // nothing had gone to the client when its body turned out broken
	streamed      bool          // a backend was sent the body, or a part of it, as it came
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
	f.trip = s.tripOf(f.t, f.id.N)
	if f.trip.Stream != nil {
		s.beginSession(f)
		return
	}
	s.proceed(f, f.trip)
}

// proceed carries out a step of the request's way.
func (s *Sim) proceed(f *flight, to *plan.Trip) {
	f.trip = to
	for _, line := range to.Lines {
		s.logs(f, line)
	}
	pass := to.Step.Pass
	if pass == nil {
		s.answer(f, &to.Step.Answer)
		return
	}
	p := s.workers[f.worker].pool(pass.Upstream)
	a := to.Arrival
	a.ID, a.Worker, a.Seed, a.Before = f.id, f.number, s.plan.Seed, f.tries
	d := f.req.Begin(p.group, p.cache.modelOrNil(), a, s.now)
	if d.Action == upstream.Try && f.deserted && !pass.IgnoreClientAbort && pass.Upstream.Version.NoticesEarlyEnd() {
		s.notice(f, d)
		return
	}
	s.follow(f, d)
}

// follow carries out a decision of the model.
func (s *Sim) follow(f *flight, d upstream.Decision) {
	f.gen++
	if d.Action != upstream.Pass {
		s.leave(f) // what went before is over
	}
	switch {
	case f.trip.Stream == nil:
	case d.Action == upstream.Try:
		s.dial(f, d)
		return
	default:
		s.finish(f, d.Status, event.Closed, 0)
		return
	}
	switch d.Action {
	case upstream.Try:
		s.attempt(f, d)
	case upstream.Answer:
		f.tries = f.req.Try()
		s.proceed(f, f.trip.Fail(d.Status))
	case upstream.Pass:
		f.status = d.Status
		instead := f.trip.Intercept(d.Status)
		if head := &f.reading.head; instead == nil && head.Redirects {
			instead = f.trip.AccelRedirect(string(head.Redirect))
		}
		if instead != nil {
			s.intercept(f, instead)
			return
		}
		f.passing = true
		if f.status == 101 && f.asksToUpgrade() {
			s.tunnel(f)
			return
		}
		s.pass(f)
	}
}

// logs tells of a line of the error log that is about the request, not an attempt.
func (s *Sim) logs(f *flight, line string) {
	s.sink.Emit(event.Event{At: s.now, Kind: event.Logged, Request: f.id, Worker: f.number, Detail: line})
}

// intercept lets something else take the place of a backend's response. Its
// connection is kept only if there was no body to read
// (ngx_http_proxy_process_header).
func (s *Sim) intercept(f *flight, instead *plan.Trip) {
	f.outcome = event.Passed
	if f.reading.bare() {
		s.keep(f)
	}
	s.leave(f)
	f.req.End(s.now, event.Passed, f.status)
	f.tries = f.req.Try()
	s.proceed(f, instead)
}

// answer ends the request with the proxy's own answer.
func (s *Sim) answer(f *flight, a *nginxconf.Answer) {
	if a.Silent {
		s.unanswered(f, a.Status)
		return
	}
	s.finish(f, a.Status, event.Passed, a.Status)
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
	f.conn, f.script, f.reading, f.trip = nil, nil, nil, nil
	s.active--
	s.free = append(s.free, f)
}

// clientTimeout lets the client leave. nginx sees that at once, closes the
// upstream connection and logs 499; with proxy_ignore_client_abort it goes on.
func (s *Sim) clientTimeout(f *flight) {
	if f.deserted {
		return
	}
	if f.waiting {
		s.respond(f, event.ClientTimeout, 0)
		s.retire(f)
		return
	}
	if f.trip.Stream != nil {
		s.clientLeaves(f)
		return
	}
	if p := f.trip.Step.Pass; p != nil && p.IgnoreClientAbort {
		s.desert(f)
		s.respond(f, event.ClientTimeout, 0)
		return
	}
	s.leave(f)
	ended := event.Aborted
	if f.upgraded {
		ended = event.Passed
	}
	f.req.End(s.now, ended, f.status)
	logged := 499
	if f.passing {
		logged = f.trip.Status(f.status)
	}
	s.finish(f, logged, event.ClientTimeout, 0)
}
