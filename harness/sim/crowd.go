package sim

import (
	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/event"
)

// crowd is a backend's connections as far as its limit is about them.
type crowd struct {
	// open are accepted, called have room that waits for them.
	open, called int
	// waiting are connections in the accept queue, in order of arrival.
	waiting []*exchange
}

func limitOf(rules fault.Rules) *fault.Limit {
	if f := rules.Limit(); f != nil {
		return f.Limit
	}
	return nil
}

// crowded lets a connection wait in the accept queue while there are as many as
// the backend has; what again says is done when there is room for it.
func (s *Sim) crowded(x *exchange, again do) bool {
	b := x.b
	switch {
	case b.limit == nil || b.limit.Full != 0 || x.conn.number != 0:
		return false
	case x.again != 0:
		x.again = 0
		b.crowd.called--
		return false
	case !b.full():
		return false
	}
	x = x.outlive()
	x.again = again
	b.crowd.waiting = append(b.crowd.waiting, x)
	if f := x.f; again == doRead && f.gen == x.gen {
		s.unaccepted(f, b)
	}
	return true
}

// full says whether the next connection has to wait for room.
func (b *backend) full() bool {
	return b.limit != nil && b.limit.Full == 0 && b.crowd.open+b.crowd.called >= b.limit.Max
}

// count takes a connection that is accepted in, or returns the limit by which it
// is turned away. One that was given up is over as soon as it is looked at.
func (s *Sim) count(x *exchange) *fault.Limit {
	b := x.b
	switch {
	case b.limit == nil:
	case b.limit.Full != 0 && b.crowd.open >= b.limit.Max:
		return b.limit
	case x.f.gen != x.gen:
		s.call(b)
	default:
		b.crowd.open++
		x.conn.counted = true
	}
	return nil
}

// call gives room to the next in the accept queue.
func (s *Sim) call(b *backend) {
	if len(b.crowd.waiting) == 0 {
		return
	}
	x := b.crowd.waiting[0]
	b.crowd.waiting = b.crowd.waiting[1:]
	if at, ok := b.doors.Thaw(s.now); ok {
		b.crowd.called++
		st := step{at: at, do: x.again, x: x}
		if x.again == doHandshake {
			st.f, st.gen = x.f, x.gen
			if x.f.gen != x.gen {
				st = step{at: at, do: doGone, x: x}
			}
		}
		s.push(st)
	}
}

// gone notes that a connection has ended.
func (s *Sim) gone(c *conn) {
	if c == nil || !c.counted {
		return
	}
	c.counted = false
	c.b.crowd.open--
	s.call(c.b)
}

// leave notes that a flight's connection has ended, unless it was kept.
func (s *Sim) leave(f *flight) {
	c := f.conn
	if c == nil || !c.counted || c.timer != nil && c.timer.cache.conns[c.timer.id] == c {
		return
	}
	s.gone(c)
}

// unaccepted is a backend that doesn't accept a connection for now: nothing comes of
// it, unless its listener is closed first, which resets what is in the queue.
func (s *Sim) unaccepted(f *flight, b *backend) {
	at, closes := b.doors.Closes(s.now)
	if end, ok := b.doors.Ends(s.now); ok && (!closes || end < at) {
		at, closes = end, true
	}
	wait, _ := f.patience()
	switch {
	case !closes || at >= f.asked+wait:
		s.silent(f)
	case f.trip.Stream != nil:
		f.cut = event.Reset
		s.endAs(f, at, 0)
	default:
		s.due(f, at, doFail, event.Reset)
	}
}
