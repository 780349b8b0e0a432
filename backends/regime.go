package backends

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nolive/nolive/backends/fault"
)

// Change is a set of rules that takes the place of the one in force.
type Change struct {
	// Rules say what the backend does from now on. Their windows, and their
	// numbers of requests and connections, count from the change; a connection
	// that was open already has no number.
	Rules fault.Rules
	// Text is how they were written, for Set.Text.
	Text string
	// TTL is how long they hold, in scenario time, before what was in force
	// comes back by itself; 0 is for good.
	TTL time.Duration
}

// Set is a set of rules that a backend was given, and how it is used.
type Set struct {
	// Version numbers the sets of a backend from 1, the one it was started with.
	Version int
	Text    string
	Rules   fault.Rules
	// Since is when it was given, in scenario time; Until when it reverts, 0 for never.
	Since, Until time.Duration
	// Used counts, rule by rule, what each decided: requests, and connections
	// that it ended at accept. Unmatched are the requests that no rule took.
	Used      []int64
	Unmatched int64
}

// set is a set of rules with its counters.
type set struct {
	version     int
	text        string
	rules       fault.Rules
	since       time.Duration
	until       time.Duration // never without a TTL
	under       *set          // what comes back then
	requests    int           // counted before it was given
	connections int
	deciding    sync.Mutex
	state       fault.State    // what the rules remember, under deciding
	used        []atomic.Int64 // one a rule, and one for requests that none took
}

func (x *set) public() Set {
	out := Set{Version: x.version, Text: x.text, Rules: x.rules, Since: x.since, Until: x.until}
	if x.until == never {
		out.Until = 0
	}
	for i := range x.rules {
		out.Used = append(out.Used, x.used[i].Load())
	}
	out.Unmatched = x.used[len(x.rules)].Load()
	return out
}

// answer decides what is done to a request, and how long its connection is kept.
// The rules remember in their own time.
func (x *set) answer(e *fault.Exchange, thaw fault.Doors) (*fault.Script, *fault.Keep) {
	x.deciding.Lock()
	defer x.deciding.Unlock()
	return x.state.Answer(x.rules, e, func(t time.Duration) (time.Duration, bool) {
		at, ok := thaw.Thaw(t + x.since)
		return at - x.since, ok
	})
}

// turn is when a connection is accepted that came at now and meets the fault.
func (x *set) turn(f *fault.Fault, now time.Duration) time.Duration {
	x.deciding.Lock()
	defer x.deciding.Unlock()
	return x.state.Accept(f, now)
}

// count notes that a fault was chosen and returns the number of its rule from 1,
// 0 for none.
func (x *set) count(f *fault.Fault) int {
	i := x.rules.IndexOf(f)
	if i < 0 {
		x.used[len(x.rules)].Add(1)
		return 0
	}
	x.used[i].Add(1)
	return i + 1
}

// regime is a stretch of time in which one set is in force. What is in it never
// changes; a change of rules puts another in its place.
type regime struct {
	*set
	// doors is the door over all time: until the regime began as it was, from
	// then on as the set says.
	doors fault.Doors
	shuts bool // some door isn't open at some time
	// thaw has beside doors those that are shut from outside, because the backend
	// is a process that is stopped: they say when it can act. Else it is doors.
	thaw fault.Doors
	// over is closed when another is in its place, applied when the listener is
	// in the state that it asks for.
	over, applied chan struct{}
}

func newRegime(x *set, doors fault.Doors) *regime {
	return &regime{set: x, doors: doors, thaw: doors, shuts: doors.Shuts(), over: make(chan struct{}), applied: make(chan struct{})}
}

// ErrClosed is what a backend that was closed says to a change.
var ErrClosed = errors.New("the backend was closed")

// Replace puts other rules in force, all at once: an exchange that began before
// ends under the old ones, and when Replace returns the new ones hold, also at
// the door. It returns the version of the set.
func (s *Server) Replace(c Change) (int, error) {
	if err := s.opts.validate(c.Rules); err != nil {
		return 0, err
	}
	if c.TTL < 0 {
		return 0, fmt.Errorf("ttl: %v is less than 0", c.TTL)
	}
	return s.change("replace", func(now time.Duration) *set {
		x := s.newSet(c.Rules, c.Text, now)
		if c.TTL > 0 {
			x.until = now + c.TTL
			x.under = s.in.Load().set
		}
		return x
	})
}

// Reset puts the rules in force that the backend was started with, begun anew.
// It returns the version of the set.
func (s *Server) Reset() (int, error) {
	return s.change("reset", func(now time.Duration) *set { return s.newSet(s.opts.Rules, s.opts.Text, now) })
}

// InForce is the set of rules in force.
func (s *Server) InForce() Set { return s.in.Load().public() }

// newSet makes a set given at now; s.mu is held or nobody else is there yet.
func (s *Server) newSet(rules fault.Rules, text string, now time.Duration) *set {
	s.versions++
	return &set{
		version: s.versions, text: text, rules: rules, since: now, until: never,
		requests: s.requests, connections: s.connections, used: make([]atomic.Int64, len(rules)+1),
	}
}

// change puts another set in force and waits until the door is as it says.
func (s *Server) change(why string, pick func(now time.Duration) *set) (int, error) {
	select {
	case <-s.opts.Clock.Begun():
	default:
		return 0, errors.New("the clock hasn't begun yet")
	}
	s.mu.Lock()
	if s.ctx.Err() != nil {
		s.mu.Unlock()
		return 0, ErrClosed
	}
	old := s.in.Load()
	// Later than every change of the door that is history.
	now := max(s.now(), old.since+1)
	next := s.succeed(why, old, pick(now), now)
	s.mu.Unlock()
	select {
	case <-next.applied:
		return next.version, nil
	case <-s.ctx.Done():
		return 0, ErrClosed
	}
}

// succeed puts a set in the place of a regime; s.mu is held.
func (s *Server) succeed(why string, old *regime, x *set, now time.Duration) *regime {
	next := newRegime(x, old.doors.Then(now, x.rules.DoorChanges()))
	s.in.Store(next)
	close(old.over)
	s.opts.Log.Note(Entry{At: now, What: why, Version: x.version})
	return next
}

// revert puts the set in force that a set with a TTL had replaced.
func (s *Server) revert(old *regime) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.in.Load() != old {
		return
	}
	now := max(s.now(), old.until)
	x := old.under
	for x.until <= now {
		x = x.under
	}
	// Its own time went on meanwhile.
	next := newRegime(x, old.doors.Then(now, resumed(x.rules.DoorChanges(), now-x.since)))
	s.in.Store(next)
	close(old.over)
	s.opts.Log.Note(Entry{At: now, What: "revert", Version: x.version})
}

// resumed are a set's own doors from an instant on, which becomes 0.
func resumed(d fault.Doors, from time.Duration) fault.Doors {
	door, _, _ := d.At(from)
	out := fault.Doors{{Door: door}}
	for _, c := range d {
		if c.At > from {
			out = append(out, fault.DoorChange{At: c.At - from, Door: c.Door})
		}
	}
	return out
}

// now is the present scenario time, 0 before it began.
func (s *Server) now() time.Duration { return max(s.opts.Clock.Now(), 0) }
