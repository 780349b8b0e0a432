package harness

import (
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/plan"
	"github.com/nolive/nolive/harness/scenario"
	"github.com/nolive/nolive/proxy/nginxconf"
	"github.com/nolive/nolive/proxy/upstream"
)

// arrivals are the requests of a plan as the model has to know them.
type arrivals struct {
	traffic map[string]*plan.Traffic
	known   map[sender]*plan.Trip
	nginx   *nginxconf.Config
}

// sender is what requests that are alike have in common.
type sender struct {
	traffic string
	from    scenario.Address
	to      string
}

func newArrivals(s *scenario.Scenario, seed uint64) *arrivals {
	a := &arrivals{map[string]*plan.Traffic{}, map[sender]*plan.Trip{}, s.Nginx}
	p := plan.New(s, seed)
	for i := range p.Traffic {
		t := &p.Traffic[i]
		a.traffic[t.Spec.Name] = t
	}
	return a
}

// of is a request's arrival at an upstream, and whether the client's status may
// be another than the one that the model ends with there: an error page may take
// the place of an answer. The arrival of a request which isn't the plan's, or of
// which no way leads to that upstream, is empty.
func (a *arrivals) of(r event.Request, name string) (arrival upstream.Arrival, replaced bool) {
	t := a.traffic[r.Traffic]
	if t == nil || r.N < 1 {
		return upstream.Arrival{}, false
	}
	who := sender{r.Traffic, t.Address(r.N), name}
	trip, ok := a.known[who]
	if !ok {
		if trip = t.Trip(a.nginx, who.from); trip != nil {
			trip = trip.Passing(name)
		}
		a.known[who] = trip
	}
	if trip == nil {
		return upstream.Arrival{}, false
	}
	return trip.Arrival, trip.Replaces()
}
