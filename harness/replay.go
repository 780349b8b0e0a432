package harness

import (
	"time"

	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/scenario"
	"github.com/nolive/nolive/proxy/nginxconf"
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
func Replay(s *scenario.Scenario, events []event.Event, clockError time.Duration) []Replayed {
	arrivals := map[string]upstream.Arrival{}
	for _, t := range s.Traffic {
		a := upstream.Arrival{Method: t.Method}
		if _, l := s.Nginx.Route(t.To, t.Path); l != nil && l.Pass != nil {
			f := t.Facts()
			a.Policy = l.Pass.Policy
			a.ClientAddr, a.Key = f.BinaryAddr, nginxconf.KeyOf(l.Pass.Upstream, &f)
		}
		arrivals[t.Name] = a
	}
	in := make([]upstream.Recorded, len(events))
	for i, e := range events {
		in[i] = upstream.Recorded{Event: e, Arrival: arrivals[e.Request.Traffic]}
	}
	var out []Replayed
	for _, u := range s.Nginx.Upstreams {
		out = append(out, Replayed{u.Name, upstream.ReplayEvents(*u, in, upstream.ReplayOptions{ClockError: clockError})})
	}
	return out
}

// Replay replays this run. It must have kept its events.
func (r *Result) Replay() []Replayed { return Replay(r.Scenario, r.Events, r.ClockError) }
