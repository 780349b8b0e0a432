package harness

import (
	"testing"
	"time"

	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/plan"
	"github.com/nolive/nolive/harness/scenario"
)

// What one user's requests take more than the quickest of their kind, and what its
// sends are late, adds up; what the backends take doesn't.
func TestDrift(t *testing.T) {
	ms := time.Millisecond
	traffic := scenario.Traffic{Name: "curl", Method: "GET", Path: "/", Load: scenario.Load{Users: 1, Times: 4, Pause: scenario.Interval{Lo: time.Second, Hi: time.Second}}}
	var events []event.Event
	now := time.Duration(0)
	for n, x := range []struct {
		tries      int
		took, late time.Duration
	}{{1, 10 * ms, 0}, {1, 110 * ms, 7 * ms}, {2, 60 * time.Second, 0}, {1, 15 * ms, 3 * ms}} {
		id := event.Request{Traffic: "curl", N: n + 1}
		now += x.late
		events = append(events, event.Event{At: now, Kind: event.RequestSent, Request: id})
		for try := range x.tries {
			events = append(events, event.Event{At: now, Kind: event.AttemptStarted, Request: id, Try: try + 1})
		}
		now += x.took
		events = append(events, event.Event{At: now, Kind: event.ResponseEnded, Request: id})
		now += time.Second
	}
	for _, x := range []struct {
		users int
		want  time.Duration
	}{{1, 115 * ms}, {2, 0}} { // two don't wait for each other
		traffic.Load.Users = x.users
		p := plan.New(&scenario.Scenario{Name: "x", Traffic: []scenario.Traffic{traffic}}, 1)
		if got := drift(p, events); got != x.want {
			t.Errorf("%d users: %v, want %v", x.users, got, x.want)
		}
	}
}
