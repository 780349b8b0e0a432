package sim

import (
	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/event"
)

// await lets a backend come to a barrier. Nothing can be seen of it before that
// is met, so a time-out is what is due, or the port's closing.
func (s *Sim) await(x *exchange, before, after *fault.Script, keep *fault.Keep, b *fault.Barrier) {
	x = x.outlive()
	x.script, x.keep, x.barrier = after, keep, b
	f := x.f
	closes, shut := x.b.doors.Closes(s.now)
	wait, _ := f.patience()
	how := event.Closed
	if shut && s.closing(x, before, closes) == fault.Reset {
		how = event.Reset
	}
	if at, ok := before.Ends(s.now, x.b.doors.Thaw); ok {
		x.taken += min(before.Reads(), x.trip.Body)
		s.push(step{at: at, do: doAwait, x: x})
	}
	switch {
	case shut && closes < f.asked+wait && f.trip.Stream != nil:
		s.endAs(f, closes, 0)
	case shut && closes < f.asked+wait:
		s.due(f, closes, doFail, how)
	default:
		s.silent(f)
	}
}

// atBarrier goes on with an exchange whose barrier is met, or lets it wait.
func (s *Sim) atBarrier(x *exchange) {
	if x.f.gen != x.gen {
		return // the proxy has given this attempt up
	}
	other := s.backends[x.barrier.Backend]
	if other.requests < x.barrier.Requests {
		other.waiting = append(other.waiting, x)
		return
	}
	if before, after, b := x.script.Split(); b != nil {
		s.await(x, before, after, x.keep, b)
		return
	}
	s.act(x, x.script, x.keep)
}

// release lets those go on for whom the backend has now read enough requests.
func (s *Sim) release(b *backend) {
	waiting := b.waiting
	b.waiting = nil
	for _, x := range waiting {
		if at, ok := x.b.doors.Thaw(s.now); ok {
			s.push(step{at: at, do: doAwait, x: x})
		}
	}
}
