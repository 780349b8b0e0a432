package sim

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/scenario"
)

// line is a client's connection to the proxy. It stays with the worker that
// accepted it.
type line struct {
	worker int
	// user is whose it is, -1 for all of an open loop; from is its address.
	user   int
	from   scenario.Address
	served int
	made   time.Duration // when
	until  time.Duration // is it kept, while idle
}

// connect gives a request the idle connection that was used last, or a new one.
// Which worker accepts a new one is the kernel's choice on a real machine and a
// keyed draw here.
func (s *Sim) connect(t *traffic, user, n int) line {
	if len(s.workers) == 1 && !t.plan.Spec.Client.Keepalive {
		return line{}
	}
	from := t.plan.Address(n)
	t.lines = slices.DeleteFunc(t.lines, func(l line) bool { return s.now >= l.until })
	for i := len(t.lines) - 1; i >= 0; i-- {
		if l := t.lines[i]; l.user == user && l.from == from {
			t.lines = slices.Delete(t.lines, i, i+1)
			return l
		}
	}
	return s.fresh(user, from)
}

// fresh is a new connection.
func (s *Sim) fresh(user int, from scenario.Address) line {
	s.connections++
	l := line{user: user, from: from, made: s.now}
	if n := len(s.workers); n > 1 {
		l.worker = int(fault.Draw(s.plan.Seed, "worker", strconv.Itoa(s.connections)) * float64(n))
	}
	return l
}

// unanswered ends a request whose connection the proxy closed without a byte. On one
// that had served others the client tries once more, on a fresh one, as curl does
// (Curl_retry_request).
func (s *Sim) unanswered(f *flight, logged int) {
	if f.deserted || f.line.served == 0 {
		s.finish(f, logged, event.Closed, 0)
		return
	}
	s.sink.Emit(event.Event{At: s.now, Kind: event.ProxyAnswered, Request: f.id, Status: logged, Worker: f.number})
	f.line = s.fresh(f.line.user, f.line.from)
	f.worker, f.tries, f.passing, f.status, f.cut = f.line.worker, 0, false, 0, 0
	f.gen++
	s.begin(f)
}

// hangUp keeps a client's connection for its next request, if both ends do.
func (s *Sim) hangUp(f *flight, seen event.Outcome, status int) {
	c := &f.t.plan.Spec.Client
	if !c.Keepalive || seen != event.Passed || f.t.closes() {
		return
	}
	f.line.served++
	// ngx_http_update_location_config looks when the request has come.
	rules := f.trip.Clients()
	switch {
	case rules.Idle == 0, f.trip.Unkept(), f.line.served >= rules.Requests, f.sent-f.line.made > rules.Longest:
		return
	case f.passing && c.HTTP10 && f.script.Response.Announced < 0:
		return // only closing ends the body
	case !f.passing && (status == 400 || status == 413 || status == 414 || status == 500 || status == 501):
		return // ngx_http_special_response_handler
	}
	f.line.until = s.now + rules.Idle
	f.t.lines = append(f.t.lines, f.line)
}

// closes says whether the traffic's requests say that they are the last.
func (t *traffic) closes() bool {
	for _, h := range t.plan.Spec.Headers {
		if strings.EqualFold(h.Name, "Connection") {
			return strings.EqualFold(h.Value, "close")
		}
	}
	return false
}

// number is the worker's in events: from 0 in order of first use, as it is read
// from nginx's log.
func (s *Sim) number(worker int) int {
	for i, w := range s.used {
		if w == worker {
			return i
		}
	}
	s.used = append(s.used, worker)
	return len(s.used) - 1
}
