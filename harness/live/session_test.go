package live

import (
	"testing"
	"time"

	"github.com/nolive/nolive/harness/event"
)

// A session is joined with the request whose connection had the same ends, at
// about that time: ports are used again.
func TestSessionsAreJoined(t *testing.T) {
	const s = time.Second
	var known sessions
	first, second := event.Request{Traffic: "users", N: 1}, event.Request{Traffic: "users", N: 7}
	known.note("127.0.0.1:4000", "127.0.0.1:80", 10*s, first)
	known.note("127.0.0.1:4000", "127.0.0.1:80", 20*s, second)
	known.note("127.0.0.1:4000", "127.0.0.1:81", 11*s, event.Request{Traffic: "other", N: 1})
	at := func(client, proxy string, n int, at time.Duration) event.Event {
		return event.Event{At: at, Request: event.Request{Traffic: event.SessionOf(client, proxy), N: n}}
	}
	events := []event.Event{
		at("127.0.0.1:4000", "127.0.0.1:80", -1, 10*s-2*time.Millisecond),
		at("127.0.0.1:4000", "127.0.0.1:80", -1, 19*s), // its end
		at("127.0.0.1:4000", "127.0.0.1:80", -2, 20*s+time.Millisecond),
		at("127.0.0.1:4000", "127.0.0.1:80", -2, 11*time.Minute),
		at("127.0.0.1:4001", "127.0.0.1:80", -3, 12*s), // somebody else's
		{At: 12 * s, Request: event.Request{Traffic: "users", N: 3}},
		{At: 12 * s},
	}
	want := []event.Request{first, first, second, second, {}, {Traffic: "users", N: 3}, {}}
	known.join(events)
	for i, e := range events {
		if e.Request != want[i] {
			t.Errorf("event %d is %v, want %v", i, e.Request, want[i])
		}
	}
}
