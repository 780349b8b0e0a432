package analysis

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/event/story"
)

func summarized(t *testing.T, end time.Duration, text string) *Summary {
	t.Helper()
	s := NewSummary()
	a := New(s)
	for _, e := range story.Read(t, text) {
		a.Emit(e)
	}
	a.Close(end)
	return s
}

func TestSummary(t *testing.T) {
	s := summarized(t, 100*time.Second, whole+`
		62 sent r/2
		62 no_live r/2
		62 log detail=no_live_upstreams
		62 answered r/2 status=502
		62 response r/2 outcome=passed status=502
		62 sent q/1
		62 attempt q/1#1 peer=b up=u
		80 attempt q/2#1 peer=a up=u
		81 got r/1 peer=a
	`)
	if diff := cmp.Diff([]Traffic{
		{Traffic: "q", Requests: 2, Statuses: map[string]int{"unfinished": 2}, Attempts: 2, FanOut: map[int]int{1: 2},
			Latency: LatencyQuantiles{P50: 20, P90: 38, P99: 38, Max: 38, Exact: true}},
		{Traffic: "r", Requests: 2, Statuses: map[string]int{"200": 1, "502": 1}, Attempts: 2, Got: 2, FanOut: map[int]int{0: 1, 2: 1}, NoLive: 1,
			Latency: LatencyQuantiles{P90: 60.021, P99: 60.021, Max: 60.021, Exact: true}},
	}, s.Traffics()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]Backend{
		{Backend: "a", Attempts: 2, Outcomes: map[string]int{"read_timeout": 1, "running": 1}, Got: 1, GotLate: 1, Marks: 1,
			Out: []Interval{{From: 61.001, To: 80, Upstream: "u"}}, OutSeconds: 18.999},
		{Backend: "b", Attempts: 2, Outcomes: map[string]int{"passed": 1, "running": 1}, Reused: 1, Got: 1, Out: []Interval{}},
	}, s.Backends()); diff != "" {
		t.Error(diff)
	}
	if n, _ := s.Mismatches(); n != 0 || s.LogLines() != 1 {
		t.Errorf("%d mismatches, %d log lines", n, s.LogLines())
	}
}

func TestSummaryAsJSON(t *testing.T) {
	s := summarized(t, time.Hour, whole)
	got, err := json.Marshal(struct {
		T []Traffic
		B []Backend
	}{s.Traffics(), s.Backends()[:1]})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"T":[{"traffic":"r","requests":1,"statuses":{"200":1},"attempts":2,"got":2,"fan_out":{"2":1},"no_live":0,` +
		`"latency":{"p50":60.021,"p90":60.021,"p99":60.021,"max":60.021,"exact":true}}],` +
		`"B":[{"backend":"a","attempts":1,"outcomes":{"read_timeout":1},"reused":0,"got":1,"marks":1,` +
		`"out":[{"from":61.001,"to":3600,"open":true,"upstream":"u"}],"out_seconds":3538.999}]}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
}

func TestMismatch(t *testing.T) {
	const begin, ending = "1 sent r/1\n", "9 answered r/1 status=200\n9 response r/1 outcome=passed status=200\n"
	attempt := func(try int, peer, outcome string) string {
		return fmt.Sprintf("2 attempt r/1#%d peer=%s\n3 ended r/1#%[1]d peer=%[2]s outcome=%s\n", try, peer, outcome)
	}
	for _, c := range []struct {
		name, text string
		want       []Mismatch
	}{
		{"both agree", attempt(1, "a", "passed") + "2 got r/1 peer=a\n", nil},
		{"refused, so it was never read", attempt(1, "a", "refused") + attempt(2, "b", "passed") + "2 got r/1 peer=b\n", nil},
		{"timed out, read or not", attempt(1, "a", "read_timeout") + attempt(2, "b", "listed") + "2 got r/1 peer=b\n2 got r/1 peer=a\n", nil},
		{"twice on the same one", attempt(1, "a", "reset") + attempt(2, "a", "passed") + "2 got r/1 peer=a\n", nil},
		{"answered, but never read", attempt(1, "a", "passed"), []Mismatch{{Backend: "a", Attempts: 1, Answered: 1}}},
		{"a hidden retry", attempt(1, "a", "passed") + "2 got r/1 peer=a\n2 got r/1 peer=a\n", []Mismatch{{Backend: "a", Attempts: 1, Answered: 1, Got: 2}}},
		{"a hidden attempt elsewhere", attempt(1, "a", "passed") + "2 got r/1 peer=a\n2 got r/1 peer=b\n2 got r/1 peer=b\n", []Mismatch{{Backend: "b", Got: 2}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for i := range c.want {
				c.want[i].Request = event.Request{Traffic: "r", N: 1}
			}
			n, got := summarized(t, time.Hour, begin+c.text+ending).Mismatches()
			if diff := cmp.Diff(c.want, got); diff != "" || n != len(c.want) {
				t.Error(n, diff)
			}
		})
	}
}

func TestSummaryListsManyStretchesBounded(t *testing.T) {
	s := NewSummary()
	for i := range MaxIntervals + 3 {
		s.Stretch(Stretch{Peer: "a", From: time.Duration(i) * time.Minute, To: time.Duration(i)*time.Minute + time.Second})
	}
	b := s.Backends()[0]
	if len(b.Out) != MaxIntervals || b.OutLeftOff != 3 || b.OutSeconds != MaxIntervals+3 {
		t.Errorf("%d listed, %d left off, %v s", len(b.Out), b.OutLeftOff, b.OutSeconds)
	}
}

// Quantiles against the definition: exact for few values, three digits for many.
func TestLatencies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{1, 2, 3, 10, 99, 100, ExactLatencies, ExactLatencies + 1, 3 * ExactLatencies}).Draw(t, "n")
		spread := rapid.Int64Range(1, int64(time.Hour)).Draw(t, "spread")
		var l Latencies
		values := make([]time.Duration, n)
		for i := range values {
			values[i] = time.Duration((int64(i)*2654435761 + 12345) % spread)
			l.Add(values[i])
		}
		slices.Sort(values)
		if l.Exact() != (n <= ExactLatencies) || l.Len() != n || l.Max() != values[n-1] || l.Quantile(1) != values[n-1] {
			t.Fatalf("exact %v, %d values, max %v", l.Exact(), l.Len(), l.Max())
		}
		for _, percent := range []int{1, 7, 50, 90, 95, 99} {
			want := values[(n*percent+99)/100-1]
			got := l.Quantile(float64(percent) / 100)
			tolerance := 0.0
			if !l.Exact() {
				tolerance = 0.001*float64(want) + float64(time.Microsecond)
			}
			if math.Abs(float64(got-want)) > tolerance {
				t.Fatalf("p%d of %d is %v, want %v", percent, n, got, want)
			}
		}
	})
}

// 90 % of 4097 are 3687.3 values: p90 is the 3688th, not the 3687th.
func TestQuantileTakesTheNextRank(t *testing.T) {
	var l Latencies
	for i := range ExactLatencies + 1 {
		l.Add(time.Millisecond)
		if i >= 3687 {
			l.Add(0)
			l.Add(10 * time.Millisecond)
		}
	}
	// 410 zeros, 4097 of 1 ms, 410 of 10 ms.
	edge := float64(410+4097) / float64(l.Len())
	if below, above := l.Quantile(edge), l.Quantile(edge+0.00005); below > 1001*time.Microsecond || above < 9990*time.Microsecond {
		t.Errorf("%v and %v, want 1ms and 10ms", below, above)
	}
}

func TestLatenciesAtTheEdges(t *testing.T) {
	var l Latencies
	if l.Quantile(0.5) != 0 || l.Max() != 0 || !l.Exact() {
		t.Error("an empty one has values")
	}
	for range ExactLatencies + 1 {
		l.Add(30 * longest)
	}
	l.Add(-time.Second)
	if l.Max() != 30*longest || l.Quantile(0.5) > longest+longest/500 || l.Quantile(0) != 0 {
		t.Errorf("max %v, p50 %v, p0 %v", l.Max(), l.Quantile(0.5), l.Quantile(0))
	}
}
