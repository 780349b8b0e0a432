package analysis

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/nolive/nolive/harness/event"
)

// Whatever the events are and in whatever order they come: nothing panics,
// every request is told once, and nothing is left in flight.
func TestChaos(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		told, met := map[event.Request]int{}, map[event.Request]bool{}
		closing := false
		a := New(NewSummary(), &Record{}, probe{exchange: func(x *Exchange) {
			told[x.Request]++
			for _, a := range x.Attempts {
				if !closing && a.Upstream == "u" && a.Outcome == 0 && a.Ended == 0 {
					t.Fatalf("told while an attempt was running: %+v", x)
				}
			}
		}})
		var end time.Duration
		for range rapid.IntRange(0, 150).Draw(t, "events") {
			e := anyEvent(t)
			end = max(end, e.At)
			if e.Request.N > 0 && e.Kind != event.Logged && e.Kind != event.FaultOn && e.Kind != event.FaultOff {
				met[e.Request] = true
			}
			a.Emit(e)
		}
		closing = true
		a.Close(end)
		if len(told) != len(met) {
			t.Fatalf("%d requests were told, %d were met", len(told), len(met))
		}
		for id, n := range told {
			if n != 1 {
				t.Fatalf("%v was told %d times", id, n)
			}
		}
		for _, tr := range a.traffics {
			if tr.used != 0 {
				t.Fatalf("%d are still in flight", tr.used)
			}
		}
		if a.waiting.head != nil || a.waiting.tail != nil {
			t.Fatal("somebody still waits")
		}
	})
}

func anyEvent(t *rapid.T) event.Event {
	return event.Event{
		At:       time.Duration(rapid.IntRange(0, 200).Draw(t, "at")) * time.Second,
		Kind:     event.Kind(rapid.IntRange(int(event.RequestSent), int(event.Logged)).Draw(t, "kind")),
		Request:  event.Request{Traffic: rapid.SampledFrom([]string{"q", "r"}).Draw(t, "traffic"), N: rapid.IntRange(0, 4).Draw(t, "n")},
		Try:      rapid.IntRange(0, 3).Draw(t, "try"),
		Peer:     rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "peer"),
		Upstream: rapid.SampledFrom([]string{"", "u"}).Draw(t, "upstream"),
		Outcome:  event.Outcome(rapid.IntRange(1, int(event.ClientRefused)+1).Draw(t, "outcome")),
		Status:   rapid.SampledFrom([]int{0, 200, 504}).Draw(t, "status"),
	}
}
