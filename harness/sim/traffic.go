package sim

import (
	"fmt"
	"iter"
	"time"

	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/plan"
	"github.com/nolive/nolive/harness/scenario"
)

// traffic is one source of requests, with its way through the configuration
// looked up once: all its requests have the same path.
type traffic struct {
	plan    *plan.Traffic
	trip    *plan.Trip                   // of all its requests, unless several is true
	several bool                         // requests come from several addresses, and it matters
	next    func() (time.Duration, bool) // open loop: the next arrival
	stop    func()
	sent    int
	users   []user
	lines   []line // kept-alive connections that are idle
}

// user is one client of a closed loop.
type user struct {
	asked int
}

// pull is iter.Pull, many instants at a time: each change to another coroutine
// costs as much as half of what else is done for an arrival.
func pull(all iter.Seq[time.Duration]) (next func() (time.Duration, bool), stop func()) {
	more, stop := iter.Pull(func(yield func([]time.Duration) bool) {
		some := make([]time.Duration, 0, 64)
		for at := range all {
			if some = append(some, at); len(some) == cap(some) {
				if !yield(some) {
					return
				}
				some = some[:0]
			}
		}
		yield(some)
	})
	var some []time.Duration
	return func() (time.Duration, bool) {
		if len(some) == 0 {
			some, _ = more()
		}
		if len(some) == 0 {
			return 0, false
		}
		at := some[0]
		some = some[1:]
		return at, true
	}, stop
}

func (s *Sim) startTraffic(p *plan.Traffic) error {
	t := &traffic{plan: p, trip: p.Trip(s.plan.Scenario.Nginx, scenario.Loopback)}
	if t.trip == nil {
		return fmt.Errorf("traffic %s: nothing listens for it", p.Spec.Name)
	}
	if t.trip.TooLate() {
		return fmt.Errorf("traffic %s: a body in chunks that exceeds client_max_body_size isn't simulated", p.Spec.Name)
	}
	if as := p.Spec.Client.Addresses; len(as) > 0 {
		t.trip = p.Trip(s.plan.Scenario.Nginx, p.Address(1))
		t.several = as.Several() && (!t.trip.Alike() || t.trip.Replaces(s.plan.Scenario.Redirects))
	}
	s.traffic = append(s.traffic, t)
	if p.Open() {
		t.next, t.stop = pull(p.Arrivals())
		if at, ok := t.next(); ok {
			s.open++
			s.push(step{at: at, do: doArrive, t: t})
		}
		return nil
	}
	t.users = make([]user, p.Users())
	for u := range t.users {
		if p.More(u+1, 1, p.Start(u+1)) {
			s.open++
			s.push(step{at: p.Start(u + 1), do: doAsk, t: t, user: int32(u)})
		}
	}
	return nil
}

// tripOf is how the n-th request begins.
func (s *Sim) tripOf(t *traffic, n int) *plan.Trip {
	if !t.several {
		return t.trip
	}
	return t.plan.Trip(s.plan.Scenario.Nginx, t.plan.Address(n))
}

func (s *Sim) stopTraffic() {
	for _, t := range s.traffic {
		if t.stop != nil {
			t.stop()
		}
	}
}

// arrive sends the next request of an open loop and schedules the one after it.
func (s *Sim) arrive(t *traffic) {
	t.sent++
	if at, ok := t.next(); ok {
		s.push(step{at: at, do: doArrive, t: t})
	} else {
		s.open--
	}
	s.send(t, event.Request{Traffic: t.plan.Spec.Name, N: t.sent}, -1)
}

// ask sends a user's next request.
func (s *Sim) ask(t *traffic, u int) {
	t.users[u].asked++
	s.send(t, t.plan.Request(u+1, t.users[u].asked), u)
}

// turnaround is the least time between an answer and the same user's next
// request. A client on loopback needs about as long; without it a user without
// a pause whom nobody serves would ask for ever at one instant.
const turnaround = time.Millisecond

// answered lets a user wait and ask again, or leave.
func (s *Sim) answered(t *traffic, u int) {
	if u < 0 {
		return
	}
	k := t.users[u].asked
	at := s.now + max(t.plan.Pause(u+1, k), turnaround)
	if t.plan.More(u+1, k+1, at) {
		s.push(step{at: at, do: doAsk, t: t, user: int32(u)})
	} else {
		s.open--
	}
}

// send brings a request to the proxy.
func (s *Sim) send(t *traffic, id event.Request, u int) {
	f := s.newFlight()
	f.t, f.id, f.user, f.sent = t, id, u, s.now
	f.line = s.connect(t, u, id.N)
	f.worker = f.line.worker
	s.active++
	s.sink.Emit(event.Event{At: s.now, Kind: event.RequestSent, Request: id})
	if d := t.plan.Spec.Client.Timeout; d > 0 {
		s.push(step{at: s.now + d, do: doClientTimeout, f: f, gen: f.life})
	}
	s.begin(f)
}
