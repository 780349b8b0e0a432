package harness

import (
	"testing"

	"github.com/nolive/nolive/harness/event"
)

// A log without a line for an answered request proves nothing; one with a line
// for a request that nobody waited for any more is whole.
func TestLines(t *testing.T) {
	r := func(n int) event.Request { return event.Request{Traffic: "users", N: n} }
	answered := func(n int) event.Event { return event.Event{Kind: event.ProxyAnswered, Request: r(n)} }
	got := func(n int, o event.Outcome) event.Event {
		return event.Event{Kind: event.ResponseEnded, Request: r(n), Outcome: o}
	}
	for _, c := range []struct {
		events []event.Event
		want   string
	}{
		{[]event.Event{answered(1), got(1, event.Passed), got(2, event.Passed), answered(2)}, ""},
		{[]event.Event{answered(1), got(1, event.Closed), got(2, event.Closed)}, ""},
		{[]event.Event{got(3, event.Passed), got(2, event.Passed), answered(4), answered(3)},
			"nginx's log has no line for 1 of the answered requests, such as users/2: was its disk full?"},
	} {
		l := &lines{to: event.Discard, missing: map[event.Request]int{}}
		for _, e := range c.events {
			l.Emit(e)
		}
		if g := l.gap(); g != c.want {
			t.Errorf("%q, want %q", g, c.want)
		}
	}
}
