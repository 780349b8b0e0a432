package backends

import (
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/clock"
	"github.com/nolive/nolive/harness/event"
)

// watchDoor changes the door at its instants, tells of it, and puts everything
// away when the server is closed.
func (s *Server) watchDoor() {
	defer s.away()
	select {
	case <-s.opts.Clock.Begun():
	default:
		select {
		case <-s.opts.Clock.Begun():
		case <-s.ctx.Done():
			return
		}
		// Reads that began before scenario time did don't know when to stop.
		s.each(func(c *conn) { c.wire.wake() })
	}
	s.follow()
}

// follow changes the door at its instants and lets sets of rules end at theirs,
// until the server is closed.
func (s *Server) follow() {
	from, at := fault.Open, time.Duration(-1) // the door, and up to when it was followed
	for {
		r := s.in.Load()
		change, more := r.doors.After(at)
		if !more || change.At > r.since {
			s.settle(r)
		}
		due := r.until
		if more {
			due = min(due, change.At)
		}
		if due == never {
			select {
			case <-r.over:
				continue
			case <-s.ctx.Done():
				return
			}
		}
		switch err := s.opts.Clock.SleepUnless(s.ctx, r.over, due, clock.Wait); {
		case err == clock.ErrOver:
			continue
		case err != nil:
			return
		case !more || change.At > due:
			s.revert(r)
			continue
		}
		// What a fault kept out comes after its end, so that is told first; what it
		// stops comes before its beginning.
		if from != fault.Open {
			s.tell(event.FaultOff, max(s.opts.Clock.Now(), change.At), from)
		}
		if at >= 0 { // the first door was shut before anybody could come
			if err := s.turn(change.Door); err != nil {
				s.fail(err)
			}
		}
		if change.Door != fault.Open {
			s.tell(event.FaultOn, max(s.opts.Clock.Now(), change.At), change.Door)
		}
		from, at = change.Door, change.At
	}
}

// settle notes that the door is as a regime says.
func (s *Server) settle(r *regime) {
	select {
	case <-r.applied:
	default:
		// A connection that waits by the doors before has to look again.
		s.each(func(c *conn) { c.wire.wake() })
		close(r.applied)
	}
}

// tell tells of a fault of the backend as a whole.
func (s *Server) tell(k event.Kind, now time.Duration, d fault.Door) {
	s.opts.Sink.Emit(event.Event{At: now, Kind: k, Peer: s.opts.Name, Detail: d.String()})
	s.opts.Log.Note(Entry{At: now, What: k.String(), Version: s.in.Load().version, Fault: d.String()})
}

// turn puts the listener into the state that a door asks for. Connections stop
// on their own, each at the same instants; only a port that closes ends them.
func (s *Server) turn(to fault.Door) error {
	s.stopAccepting()
	switch to {
	case fault.Stopping:
		s.gate.refuse()
		s.each(func(c *conn) {
			if c.queued.Load() {
				c.kill()
				return
			}
			c.wire.wake()
		})
		return nil
	case fault.Refusing:
		s.gate.refuse()
		s.each((*conn).kill)
		return nil
	case fault.Blackholed:
		s.each(func(c *conn) { c.wire.wake() })
		return s.gate.blackhole()
	case fault.Frozen:
		s.each(func(c *conn) { c.wire.wake() })
		return s.gate.listen()
	}
	if err := s.gate.listen(); err != nil {
		return err
	}
	s.accepting = &accepting{stop: make(chan struct{}), ended: make(chan struct{})}
	go s.accept(s.accepting, time.Now().Add(queueing))
	return nil
}

// stopAccepting leaves the listener as it is but takes nothing from its queue.
func (s *Server) stopAccepting() {
	if s.accepting == nil {
		return
	}
	close(s.accepting.stop)
	s.gate.until(past)
	<-s.accepting.ended
	s.accepting = nil
	s.gate.until(time.Time{})
}

// accepting is an accept loop: stop is closed for it to end, ended when it has.
type accepting struct{ stop, ended chan struct{} }

// waitForRoom waits while there are as many connections as the rules allow, and
// says whether the next one is to be accepted. Rules that were changed may have shut
// the door, and what is in the queue stays there until it is turned.
func (s *Server) waitForRoom(stop <-chan struct{}) bool {
	for {
		r := s.in.Load()
		if door, _, _ := r.doors.At(max(s.opts.Clock.Now(), 0)); door != fault.Open {
			select {
			case <-r.over:
				continue
			case <-stop:
				return false
			}
		}
		f := r.rules.Limit()
		if f == nil || f.Limit.Full != 0 {
			return true
		}
		s.mu.Lock()
		full := len(s.conns) >= f.Limit.Max
		if full && s.room == nil {
			s.room = make(chan struct{})
		}
		room := s.room
		s.mu.Unlock()
		if !full {
			return true
		}
		select {
		case <-room:
		case <-r.over:
		case <-stop:
			return false
		}
	}
}

// shortage notes, once, that a connection couldn't be accepted.
func (s *Server) shortage(err error) {
	s.mu.Lock()
	told := s.short
	s.short = true
	s.mu.Unlock()
	if told {
		return
	}
	var limit unix.Rlimit
	if errors.Is(err, unix.EMFILE) && unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) == nil {
		err = fmt.Errorf("no descriptor left for a connection: this process may have %d (ulimit -n)", limit.Cur)
	}
	s.fail(err)
}

// away puts the listener and every connection away.
func (s *Server) away() {
	s.stopAccepting()
	s.gate.close()
	s.each((*conn).kill)
	s.mu.Lock()
	s.watching = false
	s.mu.Unlock()
}

// The two patiences below are real time: how long after a thaw what is accepted
// is taken to have waited, and how long the next one waits for the number of its
// request.
const (
	queueing = 50 * time.Millisecond
	counting = 5 * time.Millisecond
)

// accept takes connections until it is stopped by the listener's deadline. Those
// that waited for it are let in one after the other, so that their requests are
// numbered in the order of arrival.
func (s *Server) accept(a *accepting, queued time.Time) {
	defer close(a.ended)
	for s.waitForRoom(a.stop) {
		conn, err := s.gate.accept()
		switch {
		case err == nil && conn == nil: // nobody's
		case err == nil:
			c := s.admit(conn)
			if s.opts.Clock.Now() > 0 && time.Now().Before(queued) {
				select {
				case <-c.counted:
				case <-time.After(counting):
				}
			}
		case errors.Is(err, os.ErrDeadlineExceeded):
			return
		default:
			// Out of descriptors, most likely: the queue keeps the connection, and the
			// run proves nothing.
			s.shortage(err)
			select {
			case <-s.ctx.Done():
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}
}
