package live

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nolive/nolive/harness/event"
)

func TestBackendsKnowWhichConnectionsAreNew(t *testing.T) {
	r := func(n int) event.Request { return event.Request{Traffic: "a", N: n} }
	attempt := func(n, try int, peer string, cached bool) []event.Event {
		return []event.Event{
			{Kind: event.AttemptStarted, Request: r(n), Try: try, Peer: peer, Cached: cached},
			{Kind: event.AttemptEnded, Request: r(n), Try: try, Peer: peer, Cached: cached, Outcome: event.Passed},
		}
	}
	got := func(n int, peer string, cached bool) event.Event {
		return event.Event{Kind: event.BackendGot, Request: r(n), Peer: peer, Cached: cached}
	}
	var events, want []event.Event
	add := func(out, in []event.Event) { events, want = append(events, in...), append(want, out...) }
	same := func(in ...event.Event) { add(in, in) }
	add(attempt(1, 1, "app1", false), attempt(1, 1, "app1", true)) // taken for cached, but new
	same(got(1, "app1", false))
	same(attempt(2, 1, "app1", true)...)
	same(got(2, "app1", true))
	same(attempt(3, 1, "app1", true)...) // nobody read it
	same(attempt(3, 2, "app2", false)...)
	same(got(3, "app2", false))
	same(attempt(4, 1, "app1", true)...) // two on one backend, of which one was read
	same(attempt(4, 2, "app1", true)...)
	same(got(4, "app1", false))
	add(attempt(5, 1, "app1", true), attempt(5, 1, "app1", true)) // two on one backend, and it read both
	add(attempt(5, 2, "app1", false), attempt(5, 2, "app1", true))
	same(got(5, "app1", true), got(5, "app1", false))
	add(attempt(7, 1, "app1", true), attempt(7, 1, "app1", true)) // the client asked again
	add(attempt(7, 1, "app1", false), attempt(7, 1, "app1", true))
	same(got(7, "app1", true), got(7, "app1", false))
	refused := attempt(6, 1, "app1", true) // the first had no connection to be read from
	refused[1].Outcome = event.Refused
	same(refused...)
	add(attempt(6, 2, "app1", false), attempt(6, 2, "app1", true))
	same(got(6, "app1", false))
	same(got(0, "app1", false), event.Event{Kind: event.BackendGot, Peer: "app1"})
	witness(events)
	if d := cmp.Diff(want, events); d != "" {
		t.Error(d)
	}
}
