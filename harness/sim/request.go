package sim

import (
	"slices"
	"time"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/event"
)

// request sends the request on the flight's connection: the kernel takes it at
// once unless it is very large, the backend reads it when it can.
func (s *Sim) request(f *flight, x *exchange) {
	f.beginSending(s.now)
	x.garbled = f.trip.Unframed && !f.streamed
	f.streamed = f.streamed || f.trip.Arrival.Policy.Unbuffered
	x.request, x.trip, x.f, x.gen, x.life = f.id, f.trip, f, f.gen, f.life
	if x.conn.timer != nil {
		x.conn.user = x
	}
	if x.conn.left != nil {
		s.inherit(x)
		return
	}
	// A backend may still be busy with what it thinks of the connection's last
	// request: nginx is done with a HEAD as soon as it has the header.
	at, ok := x.b.doors.Thaw(max(s.now, x.conn.busy))
	if ok && at == s.now {
		s.readBy(x)
		return
	}
	// Nothing can come before the backend reads: a time-out is what is due, or the
	// port's closing.
	s.silent(f)
	if ok {
		s.push(step{at: at, do: doRead, x: x.outlive()})
	}
}

// readBy lets the backend read the request, choose what to do, and do it.
func (s *Sim) readBy(x *exchange) {
	x.stands()
	if x.b.left(x.conn, s.now) {
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
	if x.trip.Spent && x.trip.Body > 0 && !x.garbled {
		script = withoutBody(script)
	}
	s.sink.Emit(event.Event{
		At: s.now, Kind: event.BackendGot, Request: x.request, Peer: x.b.name, Cached: x.conn.exchanges > 1, Detail: script.Name,
	})
	s.release(x.b)
	if x.f.gen != x.gen { // the proxy has given this attempt up, or thinks it has ended
		if x.behind != nil {
			s.orphan(x, script, keep)
		}
		return
	}
	s.takeUp(x.f, x, script)
	if before, after, b := script.Split(); b != nil {
		s.await(x, before, after, keep, b)
		return
	}
	s.act(x, script, keep)
}

// left says whether the process that a connection is to is no longer there: one that
// stops leaves to the kernel those that it hasn't accepted.
func (b *backend) left(c *conn, now time.Duration) bool {
	d := b.door(now)
	return d == fault.Refusing || d == fault.Stopping && c.number == 0
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
	dst := x.f.sights[:0]
	if x.behind != nil {
		dst = nil // those that were seen come first
	}
	s.saw(x, script, s.play(dst, x, script, keep, x.f.asksToKeep()))
}

// play finds what can be seen of a script that begins now; kept says whether the
// request lets the connection be kept.
func (s *Sim) play(dst []fault.Sight, x *exchange, script *fault.Script, keep *fault.Keep, kept bool) []fault.Sight {
	x.conn.dead = script.Steps[len(script.Steps)-1].Op == fault.Stall
	sights := script.Timeline(dst, s.now, x.b.doors.Thaw)
	if n := len(sights); n > 0 {
		x.conn.busy = sights[n-1].At
	}
	if !kept {
		sights = script.Last(sights)
	}
	sights = keep.Until(sights, script, x.b.doors.Thaw)
	if at, ok := x.b.doors.Closes(s.now); ok {
		how := fault.Close // of a connection that is kept is read all there is
		if ends, ok := script.Ends(s.now, x.b.doors.Thaw); !ok || ends >= at {
			how = s.closing(x, script, at)
		}
		sights = cut(sights, at, how)
	}
	return sights
}

// asksToKeep says whether the request, as the backend gets it, lets it keep the
// connection. Through stream that is the client's own.
func (f *flight) asksToKeep() bool {
	if f.trip.Stream != nil {
		c := &f.t.plan.Spec.Client
		return !f.t.closes() && (!c.HTTP10 || c.Keepalive)
	}
	pass := f.trip.Step.Pass
	return pass.HTTP11 && f.trip.Keeps()
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
		sights = cut(sights, at, fault.Close)
		if n := len(sights) - 1; (what.AtAccept != fault.Stall || x.conn.dead) && sights[n].At == at {
			sights[n].End = fault.Reset // the request is unread
		}
	}
	s.saw(x, nil, sights)
}
