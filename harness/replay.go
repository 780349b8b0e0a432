package harness

import (
	"slices"
	"time"

	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/scenario"
	"github.com/nolive/nolive/proxy/upstream"
)

// Replayed is what the model says of one upstream of a run.
type Replayed struct {
	Upstream string
	upstream.Replay
}

// Replay feeds the recorded instants of a run to the nginx model, upstream by
// upstream, and compares every decision. clockError is how far the stamps may
// be from the proxy's own clock, in scenario time.
//
// What the real nginx decided with `hash KEY consistent` depends on the addresses
// that it had for the backends, so there use the methods of Result and Stored.
func Replay(s *scenario.Scenario, events []event.Event, clockError time.Duration) []Replayed {
	return replay(s, s.Seed, events, clockError, nil)
}

func replay(s *scenario.Scenario, seed uint64, events []event.Event, clockError time.Duration, addresses map[string]string) []Replayed {
	arrivals := newArrivals(s, seed)
	in := make([]upstream.Recorded, len(events))
	for i, e := range events {
		in[i].Event = e
		a, replaced := arrivals.of(&in[i].Event)
		in[i] = upstream.Recorded{Event: e, Arrival: a, Replaced: replaced}
	}
	var out []Replayed
	for _, u := range s.Nginx.Upstreams {
		out = append(out, Replayed{u.Name, upstream.ReplayEvents(at(*u, addresses), in, upstream.ReplayOptions{ClockError: clockError})})
	}
	return out
}

// Replay replays this run. It must have kept its events.
func (r *Result) Replay() []Replayed {
	return replay(r.Scenario, r.Seed, r.Events, r.ClockError+stampError(r.Engine), r.Addresses)
}

// Replay replays a stored run.
func (s *Stored) Replay() []Replayed {
	return replay(s.Run, s.Seed, s.Events, time.Duration(s.ClockError*float64(time.Second))+stampError(Engine(s.Engine)), s.Addresses)
}

// at is a block with its servers at the addresses that a proxy had for them.
func at(u upstream.Config, addresses map[string]string) upstream.Config {
	u.Servers = slices.Clone(u.Servers)
	for i := range u.Servers {
		u.Servers[i].Address = addresses[u.Servers[i].Name]
	}
	return u
}

// hashed are the addresses of the run if they decided anything.
func (r *Result) hashed() map[string]string {
	for _, u := range r.Scenario.Nginx.Upstreams {
		if u.Method == upstream.ConsistentHash {
			return r.Addresses
		}
	}
	return nil
}

// stampError is how far an engine's stamps may be from the instants they stand
// for, by its own clock. nginx writes durations in whole milliseconds, and the
// end of a third attempt is a sum of three of them.
func stampError(e Engine) time.Duration {
	if e == Nginx {
		return 3 * time.Millisecond
	}
	return 0
}
