package kit

import (
	"fmt"
	"slices"
	"time"

	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/event"
)

// Late says why a run proves nothing that goes differently than on the simulator:
// the proxy, or what was between it and the load, was later than tolerated, which
// the load can't know of itself. It is "" when all was in time.
func Late(sim, r *harness.Result, tolerated time.Duration) string {
	if off := Drift(sim, r); off > tolerated {
		return fmt.Sprintf("what happened in it was up to %v off the plan, %v is tolerated", off.Round(time.Microsecond), tolerated)
	}
	return ""
}

// Drift is how far apart, in scenario time, the same things happened at most in two
// runs of one plan. Each request is followed to the first decision that isn't the
// same, and when that was taken counts too: being late is why it may differ.
func Drift(a, b *harness.Result) time.Duration {
	left, right := courses(a), courses(b)
	most := time.Duration(0)
	for request, x := range left {
		y := right[request]
		for i := range min(len(x), len(y)) {
			same := x[i].Kind == y[i].Kind && x[i].Peer == y[i].Peer && x[i].Outcome == y[i].Outcome
			if same || x[i].Kind != event.AttemptEnded && y[i].Kind != event.AttemptEnded {
				most = max(most, (x[i].At - y[i].At).Abs())
			}
			if !same {
				break
			}
		}
	}
	return most
}

// courses are what the proxy did for each request, in order.
func courses(r *harness.Result) map[event.Request][]event.Event {
	out := map[event.Request][]event.Event{}
	for _, e := range r.Events {
		switch e.Kind {
		case event.AttemptStarted, event.AttemptEnded, event.NoLive:
			if e.Request.N > 0 {
				out[e.Request] = append(out[e.Request], e)
			}
		}
	}
	return out
}

// Lag is how much later, in scenario time, than planned the proxy began with a
// request, at most.
func Lag(r *harness.Result) time.Duration {
	most, sent := time.Duration(0), map[event.Request]time.Duration{}
	for _, e := range r.Events {
		switch e.Kind {
		case event.RequestSent:
			sent[e.Request] = e.At
		case event.AttemptStarted, event.NoLive:
			if at, ok := sent[e.Request]; ok {
				most = max(most, e.At-at)
				delete(sent, e.Request)
			}
		}
	}
	return most
}

// Apart is how far the instants at which a run's requests are sent, and the proxy's
// attempts end, are apart at least, as far as they are apart at all; a second if there
// is one only.
func Apart(sim *harness.Result) time.Duration {
	var instants []time.Duration
	for _, e := range sim.Events {
		if e.Kind == event.RequestSent || e.Kind == event.AttemptEnded {
			instants = append(instants, e.At)
		}
	}
	slices.Sort(instants)
	least := time.Second
	for i, at := range instants[min(1, len(instants)):] {
		if gap := at - instants[i]; gap > 0 {
			least = min(least, gap)
		}
	}
	return least
}
