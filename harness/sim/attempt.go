package sim

import (
	"cmp"
	"slices"
	"time"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/upstream"
	"github.com/nolive/nolive/proxy/wire"
)

// attempt connects to the peer, or takes an idle connection, and sends the request.
func (s *Sim) attempt(f *flight, d upstream.Decision) {
	pass := f.trip.Step.Pass
	b := s.backends[pass.Upstream.Servers[d.Peer].Name]
	f.passing, f.status, f.script = false, 0, nil
	if d.Conn != 0 {
		c := s.workers[f.worker].caches[pass.Upstream]
		f.conn = c.conns[d.Conn]
		delete(c.conns, d.Conn)
		f.x = exchange{b: b, conn: f.conn}
		s.request(f, &f.x)
		return
	}
	f.own = conn{b: b, opened: s.now, peer: d.Peer}
	f.connectBy = s.now + pass.ConnectTimeout
	f.conn = &f.own
	f.x = exchange{b: b, conn: f.conn}
	x := &f.x
	switch b.door(s.now) {
	case fault.Refusing, fault.Stopping:
		s.due(f, s.now, doFail, event.Refused)
	case fault.Blackholed:
		s.connectLater(f, x)
	default:
		s.connectAgain(f, x)
	}
}

// connectLater waits for a host that doesn't answer: until the time-out, or
// until a retransmitted SYN finds it back. That is of real time: on sockets at
// speed N a host that comes back during a connect is found N times later than here.
func (s *Sim) connectLater(f *flight, x *exchange) {
	deadline := f.connectBy
	for _, after := range synAgain {
		at := f.own.opened + after
		if at <= s.now {
			continue
		}
		if at > deadline {
			break
		}
		switch x.b.door(at) {
		case fault.Blackholed:
			continue
		case fault.Refusing, fault.Stopping:
			s.due(f, at, doFail, event.Refused)
		default:
			s.push(step{at: at, do: doConnected, f: f, x: x, gen: f.gen})
		}
		return
	}
	s.push(step{at: deadline, do: doConnectFail, f: f, gen: f.gen})
}

// synAgain is when Linux sends a SYN again that nobody answered, with its
// defaults since 6.5: four times a second apart, then twice as long each time
// (tcp_retransmit_timer, tcp_syn_linear_timeouts = 4, tcp_syn_retries = 6). Older
// kernels send after 1, 3, 7, 15, 31 and 63 s.
var synAgain = [...]time.Duration{1 * time.Second, 2 * time.Second, 3 * time.Second, 4 * time.Second, 5 * time.Second, 7 * time.Second}

// connected goes on once the connection stands.
func (s *Sim) connected(f *flight, x *exchange) {
	if f.trip.Stream != nil {
		s.established(f, x)
		return
	}
	if f.trip.Step.Pass.TLS {
		s.handshake(f, x)
		return
	}
	s.request(f, x)
}

// request sends the request on the flight's connection: the kernel takes it at
// once, the backend reads it when it can.
func (s *Sim) request(f *flight, x *exchange) {
	f.asked, f.read = s.now, upstream.Timer{}
	f.read.Add(s.now, f.trip.Step.Pass.ReadTimeout)
	x.request, x.trip, x.f, x.gen = f.id, f.trip, f, f.gen
	// A backend may still be busy with what it thinks of the connection's last
	// request: nginx is done with a HEAD as soon as it has the header.
	at, ok := x.b.doors.Thaw(max(s.now, x.conn.busy))
	if ok && at == s.now {
		s.readBy(x)
		return
	}
	// Nothing can come before the backend reads: the read time-out is what is due,
	// or the port's closing.
	s.due(f, f.asked+f.trip.Step.Pass.ReadTimeout, doFail, event.ReadTimeout)
	if ok {
		s.push(step{at: at, do: doRead, x: x.outlive()})
	}
}

// readBy lets the backend read the request, choose what to do, and do it.
func (s *Sim) readBy(x *exchange) {
	if d := x.b.door(s.now); d == fault.Refusing || d == fault.Stopping && x.conn.number == 0 {
		// The process went away without ever having read it, and a socket closed
		// with unread data resets.
		s.saw(x, nil, []fault.Sight{{At: s.now, End: fault.Reset}})
		return
	}
	if s.crowded(x, doRead) {
		return
	}
	if x.conn.number == 0 {
		switch what := s.accept(x); {
		case what == nil:
		case what.AtAccept != 0:
			s.cutOff(x, what)
			return
		default:
			s.acceptLater(x, x.b.state.Accept(what, s.now))
			return
		}
	}
	if end := s.reuse(x); end != 0 {
		s.cutOff(x, &fault.Fault{AtAccept: end})
		return
	}
	script, keep := s.pick(x)
	if x.trip.Spent && x.trip.Body > 0 {
		script = withoutBody(script)
	}
	s.sink.Emit(event.Event{
		At: s.now, Kind: event.BackendGot, Request: x.request, Peer: x.b.name, Cached: x.conn.exchanges > 1, Detail: script.Name,
	})
	s.release(x.b)
	if x.f.gen != x.gen {
		return // the proxy has given this attempt up
	}
	if before, after, b := script.Split(); b != nil {
		s.await(x, before, after, keep, b)
		return
	}
	s.act(x, script, keep)
}

// withoutBody is how far a script gets when the request's body never comes.
func withoutBody(s *fault.Script) *fault.Script {
	for i, st := range s.Steps {
		if st.Op == fault.ReadAll || st.Op == fault.ReadBody {
			cut := *s
			cut.Steps = append(slices.Clone(s.Steps[:i]), fault.Step{Op: fault.Stall})
			return &cut
		}
	}
	return s
}

// act lets the backend do what the script says from now on.
func (s *Sim) act(x *exchange, script *fault.Script, keep *fault.Keep) {
	if x.f.gen != x.gen {
		return
	}
	x.conn.dead = script.Steps[len(script.Steps)-1].Op == fault.Stall
	sights := script.Timeline(x.f.sights[:0], s.now, x.b.doors.Thaw)
	if n := len(sights); n > 0 {
		x.conn.busy = sights[n-1].At
	}
	if pass := x.f.trip.Step.Pass; pass != nil && !(pass.HTTP11 && pass.KeepConnection) {
		sights = script.Last(sights) // as the request asks for
	}
	sights = keep.Until(sights, script, x.b.doors.Thaw)
	if at, ok := x.b.doors.Closes(s.now); ok {
		sights = cut(sights, at)
	}
	s.saw(x, script, sights)
}

// acceptLater lets the request be read once its connection is accepted.
func (s *Sim) acceptLater(x *exchange, at time.Duration) {
	x = x.outlive()
	if at, ok := x.b.doors.Thaw(at); ok {
		s.push(step{at: at, do: doRead, x: x})
	}
	if f := x.f; f.gen == x.gen {
		s.unaccepted(f, x.b)
	}
}

// cutOff ends a connection that was accepted only to be ended.
func (s *Sim) cutOff(x *exchange, what *fault.Fault) {
	var sights []fault.Sight
	if at, ok := x.b.doors.Thaw(s.now + what.AcceptAfter); ok && what.AtAccept != fault.Stall {
		sights = []fault.Sight{{At: at, End: what.AtAccept}}
	}
	if at, ok := x.b.doors.Closes(s.now); ok {
		sights = cut(sights, at)
		if n := len(sights) - 1; what.AtAccept != fault.Stall && sights[n].At == at {
			sights[n].End = fault.Reset // the request is unread
		}
	}
	s.saw(x, nil, sights)
}

// cut ends what can be seen at the instant at which the port is closed. A
// response that was complete by then stays as it is, and so does a connection
// that had ended.
func cut(sights []fault.Sight, at time.Duration) []fault.Sight {
	bytes := int64(0)
	for i, v := range sights {
		if v.At >= at {
			sights = sights[:i]
			break
		}
		if v.End != 0 {
			return sights
		}
		bytes = v.Bytes
	}
	return append(sights, fault.Sight{At: at, Bytes: bytes, End: fault.Close})
}

// saw decides what of the sights comes first: the whole header, an end before
// it, or the read time-out, which runs from the request to the whole header and
// isn't restarted by parts of it.
func (s *Sim) saw(x *exchange, script *fault.Script, sights []fault.Sight) {
	f := x.f
	if f.gen != x.gen {
		return
	}
	if f.trip.Stream != nil {
		s.heard(f, script, sights)
		return
	}
	f.script, f.sights = script, sights
	f.gen++ // overtakes a time-out scheduled before the thaw
	pass := f.trip.Step.Pass
	decided := int64(-1)
	if script != nil {
		f.reading = s.readingOf(script, pass, f.trip.Method)
		if f.reading.verdict != wire.More || f.reading.tooBig {
			decided = f.reading.decided
		}
	}
	deadline := f.asked + pass.ReadTimeout
	for _, v := range sights {
		if v.At > deadline {
			break
		}
		switch {
		case decided >= 0 && v.Bytes >= decided && v.Bytes > 0:
			s.decided(f, v.At)
			return
		case v.End == fault.Close:
			s.due(f, v.At, doFail, event.Closed)
			return
		case v.End == fault.Reset:
			s.due(f, v.At, doFail, event.Reset)
			return
		}
	}
	s.due(f, deadline, doFail, event.ReadTimeout)
}

// decided goes on at the instant at which nginx has made up its mind about the
// response's header.
func (s *Sim) decided(f *flight, at time.Duration) {
	if f.reading.verdict == wire.Whole {
		s.due(f, at, doHeader, 0)
		return
	}
	if f.reading.tooBig {
		f.req.TooBig()
	}
	s.due(f, at, doFail, event.InvalidHeader)
}

// due schedules what happens next to a flight, or does it if that is now.
func (s *Sim) due(f *flight, at time.Duration, what do, o event.Outcome) {
	f.outcome = o
	st := step{at: at, do: what, f: f, gen: f.gen}
	if at <= s.now {
		s.do(&st)
		return
	}
	s.push(st)
}

// header asks the model what to do with a whole header.
func (s *Sim) header(f *flight) {
	s.follow(f, f.req.Header(s.now, f.reading.head.Status))
}

// pass finds the end of a response whose header went to the client: whole,
// broken off, or silent for the read time-out, which here is between two reads.
func (s *Sim) pass(f *flight) {
	timeout := f.trip.Step.Pass.ReadTimeout
	r := f.reading
	if r.starved && r.endless() {
		s.due(f, s.now, doEnd, event.Passed)
		return
	}
	if r.starved {
		s.truncate(f, s.now, event.Closed)
		return
	}
	for _, v := range f.sights {
		if v.At < s.now {
			continue
		}
		if v.At > f.read.At() {
			break
		}
		f.read.Add(v.At, timeout)
		switch {
		case r.broken >= 0 && v.Bytes >= r.broken:
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
	if f.outcome == event.Passed && f.deserted && f.unwritten() > oneWrite {
		f.outcome = event.Aborted
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
	case interim(f.reading.head.Status) && f.outcome == event.Passed && f.trip.Method == "HEAD":
		s.awaitFinal(f, status)
	case interim(f.reading.head.Status):
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
	case f.cut == event.InvalidHeader && !f.reading.begun:
		// Closed at once: nothing was written before the broken chunk.
		s.finish(f, status, event.Closed, 0)
	case f.outcome == event.Truncated && f.t.plan.Spec.Client.HTTP10 && f.reading.unsized():
		// The end of the connection is that of the body, whenever it comes.
		s.finish(f, status, event.Passed, status)
	default:
		s.finish(f, status, f.outcome, status)
	}
}

// awaitFinal lets a client wait that asked with HEAD and got an interim response as
// the whole answer: for the final one, until the proxy closes the idle connection.
func (s *Sim) awaitFinal(f *flight, logged int) {
	if f.deserted || f.t.plan.Spec.Client.HTTP10 || f.t.closes() {
		s.finish(f, logged, event.Closed, 0)
		return
	}
	s.sink.Emit(event.Event{At: s.now, Kind: event.ProxyAnswered, Request: f.id, Status: logged, Worker: f.number})
	f.waiting = true
	s.due(f, s.now+lineTimeout, doEnd, event.Closed)
}

// oneWrite is how much of a response nginx writes to a client at once
// (proxy_busy_buffers_size). To one that has left, the first write succeeds and
// is answered with RST, so the second one fails, and that ends the exchange with
// the backend although proxy_ignore_client_abort is on (ngx_event_pipe,
// downstream_error).
const oneWrite = 8 << 10

// unwritten is how much of the response came after the client had left.
func (f *flight) unwritten() int64 {
	size := f.script.Response.Size()
	written := int64(0)
	for _, v := range f.sights {
		if v.At <= f.left {
			written = v.Bytes
		}
	}
	return size - written
}

// keep stores the upstream connection where nginx would: the request asked for
// it, the response came whole, nothing more than it, and nobody closed. What comes
// later ends the idle connection, be it an end or more data.
func (s *Sim) keep(f *flight) {
	pass := f.trip.Step.Pass
	c := s.workers[f.worker].caches[pass.Upstream]
	whole := f.reading.end
	if c == nil || f.outcome != event.Passed || !pass.KeepConnection || !pass.HTTP11 || whole < 0 || !f.reading.head.Keep {
		return
	}
	if f.conn.b.door(s.now) == fault.Stopping {
		return
	}
	f.conn.ends = 0
	for _, v := range f.sights {
		switch {
		case v.At > s.now:
			f.conn.ends, f.conn.closes = cmp.Or(v.End, fault.Close), v.At
		case v.End != 0 || v.Bytes > whole:
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
