package upstream_test

import (
	"testing"
	"time"

	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/upstream"
)

// A client that got nothing of a broken body asks again, under the same number: that
// is a request of its own, which picks anew.
func TestReplayAskedAgain(t *testing.T) {
	cfg := upstream.Config{Name: "u", Servers: []upstream.Server{upstream.NewServer("a"), upstream.NewServer("b")}}
	r := event.Request{Traffic: "t", N: 1}
	record := func(second string) upstream.Replay {
		var in []upstream.Recorded
		for i, e := range []event.Event{
			{Kind: event.AttemptStarted, Try: 1, Peer: "a"},
			{Kind: event.AttemptEnded, Try: 1, Peer: "a", Outcome: event.Truncated, Status: 200},
			{Kind: event.AttemptStarted, Try: 1, Peer: second},
			{Kind: event.AttemptEnded, Try: 1, Peer: second, Outcome: event.Passed, Status: 200},
			{Kind: event.ProxyAnswered, Status: 200},
		} {
			e.At, e.Request, e.Upstream = time.Duration(100*(i+1))*time.Millisecond, r, "u"
			in = append(in, upstream.Recorded{Event: e, Arrival: upstream.Arrival{ID: r, Method: "GET"}})
		}
		return upstream.ReplayEvents(cfg, in, upstream.ReplayOptions{})
	}
	if got := record("b"); got.Decisions != 4 || got.Different != 0 {
		t.Errorf("%+v", got)
	}
	if got := record("a"); got.Different != 1 {
		t.Errorf("it was b's turn: %+v", got)
	}
}
