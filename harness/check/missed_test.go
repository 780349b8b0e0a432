package check

import (
	"testing"
	"time"

	"github.com/nolive/nolive/harness/analysis"
	"github.com/nolive/nolive/harness/event"
)

// A verdict that nothing but times failed says by how much they missed.
func TestMissed(t *testing.T) {
	ms := time.Millisecond
	for _, tt := range []struct {
		check string
		took  []time.Duration
		want  time.Duration
	}{
		{"latency: {of: r, max: 59s..61s}", []time.Duration{60 * time.Second}, 0},
		{"latency: {of: r, max: 59s..61s}", []time.Duration{60 * time.Second, 61134 * ms}, 134 * ms},
		{"latency: {of: r, max: 59s..61s}", []time.Duration{58 * time.Second}, time.Second},
		{`latency: {of: r, p50: "< 1s", max: "< 2s"}`, []time.Duration{1100 * ms, 2500 * ms}, 500 * ms},
		{`latency: {of: r, max: "< 2s"}`, []time.Duration{2 * time.Second}, 1},
		{"slow: {of: r, over: 1s, count: 1}", []time.Duration{5 * time.Second, 1010 * ms, 3 * time.Second}, 2 * time.Second},
		{"slow: {of: r, over: 1s, count: 2}", []time.Duration{990 * ms, 800 * ms, 100 * ms}, 200 * ms},
		{"slow: {of: r, over: 1s, count: 3}", []time.Duration{990 * ms}, 0}, // two more requests are missing
		{"out: {backend: a, for: 44s..52s}", []time.Duration{50 * time.Second, 53 * time.Second}, time.Second},
		{"out: {backend: a, for: 44s..52s, times: 1}", []time.Duration{50 * time.Second, 53 * time.Second}, 0},
		{`out: {backend: "*", for: 44s..52s}`, []time.Duration{50 * time.Second, 53 * time.Second}, time.Second},
		{"marked: {backend: a, times: 1}", []time.Duration{time.Second}, 0},
	} {
		j := decoded(t, tt.check).Start()
		for i, d := range tt.took {
			j.Exchange(&analysis.Exchange{Request: event.Request{Traffic: "r", N: i + 1}, Ended: d, Outcome: event.Passed, Status: 200})
			j.Stretch(analysis.Stretch{Peer: "a", From: 0, To: d})
		}
		if v := j.Verdict(Run{Backends: []string{"a"}}); v.Missed != tt.want {
			t.Errorf("%s after %v: missed %v, want %v (%+v)", tt.check, tt.took, v.Missed, tt.want, v)
		}
	}
}

// One backend whose failure is no matter of time makes it none of all together.
func TestMissedOfEveryBackend(t *testing.T) {
	j := decoded(t, `out: {backend: "*", for: 44s..52s}`).Start()
	j.Exchange(&analysis.Exchange{Request: event.Request{Traffic: "r", N: 1}, Outcome: event.Passed})
	j.Stretch(analysis.Stretch{Peer: "a", To: 53 * time.Second})
	if v := j.Verdict(Run{Backends: []string{"a", "b"}}); v.OK || v.Missed != 0 {
		t.Errorf("%+v", v)
	}
}
