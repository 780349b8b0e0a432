package fault

import (
	"slices"
	"time"
)

// State is what a backend's rules remember from one request to the next. The
// zero value is that of a backend that has just begun. It isn't safe for
// concurrent use.
type State struct {
	pools map[int]*pool // by the rule's place in its list
	// accepted is when the last connection was, or will be, that took its time.
	accepted time.Duration
}

// Accept is when a connection is accepted that came at now and meets the fault.
func (s *State) Accept(f *Fault, now time.Duration) time.Duration {
	if f == nil || f.AcceptEvery == 0 {
		return now
	}
	s.accepted = max(s.accepted, now) + f.AcceptEvery
	return s.accepted
}

// Answer decides what the backend does with a request that it has read: the
// script, ready to be played from x.At on, and how long the connection is kept
// afterwards, nil for ever. thaw is that of Doors.Thaw.
func (s *State) Answer(rs Rules, x *Exchange, thaw func(time.Duration) (time.Duration, bool)) (*Script, *Keep) {
	keep := rs.PickKeep(x)
	ready := func(sc *Script) *Script { return keep.Limit(sc, x.Exchange).For(x) }
	sc := ready(&rs.Pick(x).Script)
	for i := range rs {
		r := &rs[i]
		if r.Do.Workers == nil || !r.When.Matches(x, i) {
			continue
		}
		if s.pools == nil {
			s.pools = map[int]*pool{}
		}
		if s.pools[i] == nil {
			s.pools[i] = newPool(r.Do.Workers)
		}
		wait, ok := s.pools[i].enter(x.At, func(start time.Duration) (time.Duration, bool) { return sc.Ends(start, thaw) })
		if !ok {
			return ready(&r.Do.Workers.Full), keep
		}
		return sc.later(wait), keep
	}
	return sc, keep
}

// pool is workers and a queue in front of them, in order of arrival. How long
// each request takes is known when it comes, so that when its turn comes is too.
type pool struct {
	w *Workers
	// free is when each worker is done with what it has to do, and with what waits
	// for it.
	free []time.Duration
	// turns are when those who wait get their turn, in that order.
	turns []time.Duration
}

// forever is the end of what has none.
const forever time.Duration = 1<<63 - 1

func newPool(w *Workers) *pool { return &pool{w: w, free: make([]time.Duration, w.Count)} }

// enter takes a request in at now and says how long it waits for its turn; false
// when there is no room. end is when the work is over that begins at start, false
// for never.
func (p *pool) enter(now time.Duration, end func(start time.Duration) (time.Duration, bool)) (time.Duration, bool) {
	waiting := 0
	for _, t := range p.turns {
		if t > now {
			p.turns[waiting] = t
			waiting++
		}
	}
	p.turns = p.turns[:waiting]
	first := 0
	for i, t := range p.free {
		if t < p.free[first] {
			first = i
		}
	}
	start := max(now, p.free[first])
	if start > now {
		if p.w.Queue.Limited && waiting >= p.w.Queue.N {
			return 0, false
		}
		p.turns = append(p.turns, start)
	}
	p.free[first] = forever
	if start == forever {
		return forever, true
	}
	if t, ok := end(start); ok {
		p.free[first] = t
	}
	return start - now, true
}

// Ends is when the last step of the script is over that begins at start; false
// when it never is.
func (s *Script) Ends(start time.Duration, thaw func(time.Duration) (time.Duration, bool)) (time.Duration, bool) {
	_, end, ok := s.run(nil, start, thaw)
	return end, ok
}

// later returns the script with a wait behind the reading of the request: for
// ever when d is.
func (s *Script) later(d time.Duration) *Script {
	if d == 0 {
		return s
	}
	out := *s
	read, rest := s.split()
	first := Step{Op: Wait, For: d}
	if d == forever {
		first, rest = Step{Op: Stall}, nil
	}
	out.Steps = append(append(slices.Clone(read), first), rest...)
	return &out
}
