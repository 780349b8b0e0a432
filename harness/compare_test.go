package harness_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/event"
)

// Two runs are held against each other by what happened, not by when.
func TestCompare(t *testing.T) {
	one := event.Request{Traffic: "users", N: 1}
	two := event.Request{Traffic: "users", N: 2}
	base := []event.Event{
		{At: 0, Kind: event.RequestSent, Request: one},
		{At: 0, Kind: event.AttemptStarted, Request: one, Try: 1, Peer: "a", Upstream: "u"},
		{At: 1, Kind: event.AttemptEnded, Request: one, Try: 1, Peer: "a", Upstream: "u", Outcome: event.Reset},
		{At: 1, Kind: event.PeerMarked, Request: one, Try: 1, Peer: "a", Upstream: "u"},
		{At: 1, Kind: event.AttemptStarted, Request: one, Try: 2, Peer: "b", Upstream: "u"},
		{At: 2, Kind: event.AttemptEnded, Request: one, Try: 2, Peer: "b", Upstream: "u", Outcome: event.Passed, Status: 200},
		{At: 2, Kind: event.ProxyAnswered, Request: one, Status: 200},
		{At: 2, Kind: event.ResponseEnded, Request: one, Outcome: event.Passed, Status: 200},
		{At: 3, Kind: event.RequestSent, Request: two},
		{At: 3, Kind: event.NoLive, Request: two, Upstream: "u"},
		{At: 3, Kind: event.ResponseEnded, Request: two, Outcome: event.Passed, Status: 502},
	}
	for name, c := range map[string]struct {
		change func(events []event.Event) []event.Event
		want   []string
	}{
		"nothing": {func(e []event.Event) []event.Event { return e }, nil},
		"later": {func(e []event.Event) []event.Event {
			for i := range e {
				e[i].At += time.Hour
			}
			return e
		}, nil},
		"what backends and logs say": {func(e []event.Event) []event.Event {
			return append(e, event.Event{Kind: event.BackendGot, Request: one, Peer: "b"}, event.Event{Kind: event.Logged, Request: one, Detail: "x"},
				event.Event{Kind: event.FaultOn, Peer: "a"})
		}, nil},
		"another peer": {func(e []event.Event) []event.Event { e[5].Peer = "c"; return e },
			[]string{"users/1: a reset, b passed, 200, but a reset, c passed, 200"}},
		"another outcome": {func(e []event.Event) []event.Event { e[2].Outcome = event.Closed; return e },
			[]string{"users/1: a reset, b passed, 200, but a closed, b passed, 200"}},
		"a kept connection": {func(e []event.Event) []event.Event { e[5].Cached = true; return e },
			[]string{"users/1: a reset, b passed, 200, but a reset, b passed cached, 200"}},
		"another status": {func(e []event.Event) []event.Event { e[10].Status = 504; return e },
			[]string{"users/2: no live upstreams, 502, but no live upstreams, 504"}},
		"truncated": {func(e []event.Event) []event.Event { e[7].Outcome = event.Truncated; return e },
			[]string{"users/1: a reset, b passed, 200, but a reset, b passed, 200 truncated"}},
		"the client left": {func(e []event.Event) []event.Event {
			e[10].Outcome, e[10].Status = event.ClientTimeout, 0
			return e
		}, []string{"users/2: no live upstreams, 502, but no live upstreams, client_timeout"}},
		"no answer": {func(e []event.Event) []event.Event { return e[:10] },
			[]string{"users/2: no live upstreams, 502, but no live upstreams, no answer"}},
		"a request less": {func(e []event.Event) []event.Event { return e[:8] },
			[]string{"users/2: no live upstreams, 502, but not sent"}},
		"not marked": {func(e []event.Event) []event.Event { return slices.Delete(e, 3, 4) },
			[]string{"a: marked once, but never"}},
		"in another order, of other peers": {func(e []event.Event) []event.Event { e[3].Peer = "b"; return e },
			[]string{"a: marked once, but never", "b: marked never, but once"}},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := &harness.Result{Events: base}, &harness.Result{Events: c.change(slices.Clone(base))}
			differences := harness.Compare(a, b)
			var got []string
			for _, d := range differences {
				got = append(got, d.String())
				if len(d.EventsA)+len(d.EventsB) == 0 {
					t.Errorf("%v: no events behind it", d)
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if back := harness.Compare(b, a); len(back) != len(differences) {
				t.Errorf("the other way round: %v", back)
			}
		})
	}
}
