package live

import (
	"cmp"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/nolive/nolive/harness/event"
)

// A request that fails over within one millisecond of a proxy that tells what
// it did only at the end: causes come before what they cause.
func TestOrderOfOneInstant(t *testing.T) {
	r := event.Request{Traffic: "curl", N: 1}
	ms := time.Millisecond
	fault := event.Event{At: 5 * ms, Kind: event.FaultOn, Peer: "a"}
	sent := event.Event{At: 5 * ms, Kind: event.RequestSent, Request: r}
	got := event.Event{At: 5 * ms, Kind: event.BackendGot, Request: r, Peer: "b"}
	response := event.Event{At: 5 * ms, Kind: event.ResponseEnded, Request: r}
	proxy := []event.Event{
		{At: 5 * ms, Kind: event.AttemptStarted, Request: r, Try: 1, Peer: "a"},
		{At: 5 * ms, Kind: event.AttemptEnded, Request: r, Try: 1, Peer: "a"},
		{At: 5 * ms, Kind: event.PeerMarked, Request: r, Try: 1, Peer: "a"},
		{At: 5 * ms, Kind: event.AttemptStarted, Request: r, Try: 2, Peer: "b"},
		{At: 5 * ms, Kind: event.AttemptEnded, Request: r, Try: 2, Peer: "b"},
		{At: 5 * ms, Kind: event.ProxyAnswered, Request: r},
	}
	early := event.Event{At: 4 * ms, Kind: event.Logged, Detail: "earlier"}

	emitted := append([]event.Event{got, response, sent, fault}, append(proxy, early)...)
	want := append([]event.Event{early, fault, sent}, append(proxy, got, response)...)
	if diff := gocmp.Diff(want, inOrder(emitted)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// The proxy's clock has whole milliseconds, so it may say that it met a request
// before it was sent. The order is the true one, and no stamp is changed.
func TestSentComesFirst(t *testing.T) {
	r, other := event.Request{Traffic: "curl", N: 1}, event.Request{Traffic: "curl", N: 2}
	attempt := event.Event{At: 5 * time.Millisecond, Kind: event.AttemptStarted, Request: r}
	sent := event.Event{At: 5*time.Millisecond + 400*time.Microsecond, Kind: event.RequestSent, Request: r}
	between := event.Event{At: 5*time.Millisecond + 100*time.Microsecond, Kind: event.ResponseEnded, Request: other}
	want := []event.Event{sent, attempt, between}
	if diff := gocmp.Diff(want, inOrder([]event.Event{between, attempt, sent})); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// Whatever is emitted: nothing is lost, time goes forward but for a send, a
// send comes before the rest of its request, and what one source says of one
// instant stays in its order.
func TestOrderProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kinds := []event.Kind{event.RequestSent, event.AttemptStarted, event.AttemptEnded, event.BackendGot, event.ResponseEnded, event.FaultOn, event.Logged}
		n := rapid.IntRange(0, 40).Draw(t, "n")
		events := make([]event.Event, 0, n)
		sent := map[int]bool{}
		for i := range n {
			e := event.Event{
				Kind: rapid.SampledFrom(kinds).Draw(t, "kind"),
				At:   time.Duration(rapid.IntRange(0, 5).Draw(t, "at")) * time.Millisecond,
				Try:  i, // where it was emitted
			}
			if e.Kind != event.FaultOn && e.Kind != event.Logged {
				e.Request = event.Request{Traffic: "a", N: rapid.IntRange(1, 4).Draw(t, "request")}
			}
			if e.Kind == event.RequestSent {
				if sent[e.Request.N] {
					continue
				}
				sent[e.Request.N] = true
			}
			events = append(events, e)
		}
		got := inOrder(slices.Clone(events))
		same := slices.Clone(got)
		slices.SortFunc(same, func(a, b event.Event) int { return cmp.Compare(a.Try, b.Try) })
		if diff := gocmp.Diff(events, same); diff != "" {
			t.Fatalf("not the same events:\n%s", diff)
		}
		begun := map[int]bool{}
		var last *event.Event
		for i := range got {
			e := &got[i]
			if e.Kind == event.RequestSent {
				if begun[e.Request.N] {
					t.Fatalf("%v was sent after it began", e.Request)
				}
			} else {
				if last != nil && e.At < last.At {
					t.Fatalf("%v at %v after %v", e.Kind, e.At, last.At)
				}
				if last != nil && e.At == last.At && group(e.Kind) == group(last.Kind) && e.Try < last.Try {
					t.Fatalf("%v was emitted before %v", e, last)
				}
				last = e
			}
			if e.Request.N > 0 {
				begun[e.Request.N] = true
			}
		}
	})
}
