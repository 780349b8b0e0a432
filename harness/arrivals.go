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
	traffic  map[string]*plan.Traffic
	known    map[sender]*plan.Trip
	answered map[visit]bool
	nginx    *nginxconf.Config
	by       plan.Redirects
}

// sender is what requests that are alike have in common.
type sender struct {
	traffic string
	from    scenario.Address
	to      string
	again   bool
}

// visit is a request at an upstream.
type visit struct {
	request event.Request
	to      string
}

func newArrivals(s *scenario.Scenario, seed uint64) *arrivals {
	a := &arrivals{map[string]*plan.Traffic{}, map[sender]*plan.Trip{}, map[visit]bool{}, s.Nginx, s.Redirects}
	p := plan.New(s, seed)
	for i := range p.Traffic {
		t := &p.Traffic[i]
		a.traffic[t.Spec.Name] = t
	}
	return a
}

// of is the arrival of an event's request at its upstream, and whether the client's
// status may be another than the one that the model ends with there: an error page may
// take the place of an answer. The arrival of a request which isn't the plan's, or of
// which no way leads to that upstream, is empty. Events come in the order of the log.
func (a *arrivals) of(e *event.Event) (arrival upstream.Arrival, replaced bool) {
	t := a.traffic[e.Request.Traffic]
	if t == nil || e.Request.N < 1 {
		return upstream.Arrival{}, false
	}
	v := visit{e.Request, e.Upstream}
	trip := a.trip(t, sender{e.Request.Traffic, t.Address(e.Request.N), e.Upstream, a.answered[v]})
	if trip == nil {
		return upstream.Arrival{}, false
	}
	replaced = trip.Replaces(a.by)
	if replaced && e.Kind == event.AttemptEnded && e.Outcome == event.Passed {
		a.answered[v] = true // if it comes again, it does so as another step of its way
	}
	return trip.Arrival, replaced
}

// trip is where requests that are alike come to an upstream, nil where they don't.
func (a *arrivals) trip(t *plan.Traffic, who sender) *plan.Trip {
	trip, ok := a.known[who]
	if ok {
		return trip
	}
	if who.again {
		first := who
		first.again = false
		if trip = a.trip(t, first); trip != nil {
			if next := trip.Again(who.to, a.by); next != nil {
				trip = next
			}
		}
	} else if trip = t.Trip(a.nginx, who.from); trip != nil {
		trip = trip.Passing(who.to, a.by)
	}
	a.known[who] = trip
	return trip
}
