package sim

import (
	"time"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/wire"
)

// cut ends what can be seen at the instant at which the port is closed, by how. A
// response that was complete by then stays as it is, and so does a connection
// that had ended.
func cut(sights []fault.Sight, at time.Duration, how fault.Op) []fault.Sight {
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
	return append(sights, fault.Sight{At: at, Bytes: bytes, End: how})
}

// closing is how a connection ends whose port is closed at an instant: with a part
// of the request unread the kernel resets it. The script is what goes on now.
func (s *Sim) closing(x *exchange, script *fault.Script, at time.Duration) fault.Op {
	if x.trip.Body == 0 || x.trip.Spent || x.taken >= x.trip.Body || script.Taken(s.now, at, x.b.doors.Thaw) >= x.trip.Body-x.taken {
		return fault.Close
	}
	return fault.Reset
}

// saw decides what of the sights comes first: the whole header, an end before
// it, or a time-out: that of reading runs from the request to the whole header and
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
	if x.behind != nil {
		script, sights = x.behind.then(script, sights)
	}
	f.script, f.sights = script, sights
	f.gen++ // overtakes a time-out scheduled before the thaw
	if x.behind != nil && f.passing {
		f.reading = s.readingOf(script, f.trip.Step.Pass, f.trip.Method)
		s.pass(f)
		return
	}
	pass := f.trip.Step.Pass
	decided := int64(-1)
	if script != nil {
		f.reading = s.readingOf(script, pass, f.trip.Method)
		if f.reading.verdict != wire.More || f.reading.tooBig {
			decided = f.reading.decided
		}
	}
	wait, late := f.patience()
	deadline := f.asked + wait
	for _, v := range sights {
		if v.At > deadline {
			break
		}
		switch {
		case decided >= 0 && v.Bytes >= decided && v.Bytes > 0:
			if f.unseen(sights, v.At) {
				s.due(f, v.At, doFail, event.Reset)
				return
			}
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
	s.due(f, deadline, doFail, late)
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
	} else {
		f.req.BadHeader(f.reading.head.Why)
	}
	s.due(f, at, doFail, event.InvalidHeader)
}

// due schedules what happens next to a flight, or does it if that is now.
func (s *Sim) due(f *flight, at time.Duration, what do, o event.Outcome) {
	f.outcome, f.over = o, at
	st := step{at: at, do: what, f: f, gen: f.gen}
	if at <= s.now {
		s.do(&st)
		return
	}
	s.push(st)
}

// header asks the model what to do with a whole header.
func (s *Sim) header(f *flight) {
	if f.reading.head.Raw {
		f.req.NoStatusLine(s.now)
	}
	for _, line := range f.reading.head.Repeated {
		f.req.Dropped(s.now, line)
	}
	s.follow(f, f.req.Header(s.now, f.reading.head.Status))
}
