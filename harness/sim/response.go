package sim

import (
	"time"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/upstream"
)

// pass finds the end of a response whose header went to the client: whole,
// broken off, or silent for the read time-out, which here is between two reads.
func (s *Sim) pass(f *flight) {
	timeout := f.trip.Step.Pass.ReadTimeout
	r := f.reading
	if f.sentBy > s.now {
		// Nothing more of the request is sent (ngx_http_upstream_send_request_handler).
		f.read = upstream.Timer{}
		f.read.Add(s.now, timeout)
	}
	if r.starved && r.endless() {
		s.due(f, s.now, doEnd, event.Passed)
		return
	}
	if r.starved {
		s.truncate(f, s.now, event.Closed)
		return
	}
	broken, begun := -1, false
	if r.broken {
		broken, begun = r.notices(f.sights)
	}
	unheard := f.unheard()
	for i, v := range f.sights {
		if v.At < s.now {
			continue
		}
		if v.At > f.read.At() {
			break
		}
		if v.At >= unheard {
			s.due(f, v.At, doEnd, event.Aborted)
			return
		}
		f.read.Add(v.At, timeout)
		switch {
		case broken >= 0 && i >= broken:
			// Read with the header, and without proxy_buffering nothing of it has gone out.
			f.withheld = !begun || r.unbuffered && v.At == s.now
			s.truncate(f, v.At, event.InvalidHeader)
			return
		case r.end >= 0 && v.Bytes >= r.end, v.End == fault.Close && r.endless():
			s.due(f, v.At, doEnd, event.Passed)
			return
		case v.End == fault.Close:
			s.truncate(f, v.At, event.Closed)
			return
		case v.End == fault.Reset:
			s.truncate(f, v.At, event.Reset)
			return
		}
	}
	s.truncate(f, f.read.At(), event.ReadTimeout)
}

// truncate ends a body that breaks off at the instant at, in the given way.
func (s *Sim) truncate(f *flight, at time.Duration, how event.Outcome) {
	f.cut = how
	s.due(f, at, doEnd, event.Truncated)
}

// end finishes an exchange that was passed on.
func (s *Sim) end(f *flight) {
	if f.trip.Stream != nil {
		s.endSession(f)
		return
	}
	if f.waiting {
		s.respond(f, event.Closed, 0)
		s.retire(f)
		return
	}
	s.keep(f)
	s.leave(f)
	if f.outcome == event.Truncated {
		f.req.Cut(s.now, f.cut, f.status)
	} else {
		f.req.End(s.now, f.outcome, f.status)
	}
	status := f.trip.Status(f.status)
	switch {
	case f.reading.head.Raw:
		// What nginx takes for HTTP/0.9 is logged as 009, and no answer to a client.
		s.finish(f, 9, event.InvalidHeader, 0)
	case interim(status) && f.outcome == event.Passed && f.unfinished(s.now):
		s.awaitFinal(f, status)
	case interim(status):
		// A client waits for the final response behind an interim one that was taken
		// for it: what came of that is its answer.
		if f.outcome == event.Passed {
			s.finish(f, status, f.outcome, f.script.Response.Status)
		} else {
			s.finish(f, status, event.Closed, 0)
		}
	case f.status == 101:
		// Its end is all that a client of another protocol waits for.
		s.finish(f, status, event.Passed, status)
	case f.cut == event.InvalidHeader && f.withheld:
		// Closed at once: nothing was written before the broken chunk.
		s.unanswered(f, status)
	case f.outcome == event.Truncated && f.t.plan.Spec.Client.HTTP10 && f.reading.unsized():
		// The end of the connection is that of the body, whenever it comes.
		s.finish(f, status, event.Passed, status)
	default:
		s.finish(f, status, f.outcome, status)
	}
}

// unfinished is true when the client has an interim response but not all of the
// final one behind it, which was its body: none of it after a HEAD.
func (f *flight) unfinished(now time.Duration) bool {
	came := int64(0)
	for _, v := range f.sights {
		if v.At <= now {
			came = v.Bytes
		}
	}
	return f.trip.Method == "HEAD" || came < f.script.Response.Size()
}

// awaitFinal lets a client wait that got an interim response as the answer: for the
// final one, until the proxy closes the idle connection.
func (s *Sim) awaitFinal(f *flight, logged int) {
	client := &f.t.plan.Spec.Client
	idle := f.trip.Clients().Idle
	if f.deserted || client.HTTP10 && !client.Keepalive || f.t.closes() || idle == 0 || f.trip.Unkept() {
		s.finish(f, logged, event.Closed, 0)
		return
	}
	s.sink.Emit(event.Event{At: s.now, Kind: event.ProxyAnswered, Request: f.id, Status: logged, Worker: f.number})
	f.waiting = true
	s.due(f, s.now+idle, doEnd, event.Closed)
}

// keep stores the upstream connection where nginx would: the response came whole,
// nothing more than it, and nobody closed, as a backend does that was asked to. nginx
// itself doesn't look at what its request asked for. What comes later ends the idle
// connection, be it an end or more data.
func (s *Sim) keep(f *flight) {
	pass := f.trip.Step.Pass
	c := s.workers[f.worker].pool(pass.Upstream).cache
	whole := f.reading.end
	if c == nil || f.outcome != event.Passed || whole < 0 || !f.reading.head.Keep {
		return
	}
	if f.conn.b.door(s.now) == fault.Stopping {
		return
	}
	if f.sentBy > s.now {
		return // not all of the request was sent
	}
	f.conn.ends, f.conn.left, f.conn.user = 0, nil, nil
	version, r := s.plan.Scenario.Nginx.Version, f.reading
	ignores := r.head.Chunked && version.KeepsBehindChunks() || r.unbuffered && r.head.Length == 0 && version.KeepsBehindNothing()
	for i, v := range f.sights {
		switch {
		case v.At > s.now && f.sights[len(f.sights)-1].Bytes > whole:
			f.conn.abandonAt(leftoverOf(f.script, whole, f.sights[i:]))
		case v.At > s.now:
			f.conn.ends, f.conn.closes = v.End, v.At
		case v.End != 0 || v.Bytes > whole && !ignores:
			return
		}
		if f.conn.ends != 0 {
			break
		}
	}
	c.store(s, f.conn, f.read, pass.Number)
}

// interim says whether a client waits for another response behind one with the
// status.
func interim(status int) bool { return status/100 == 1 && status != 101 }
