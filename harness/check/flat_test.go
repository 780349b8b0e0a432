package check

import (
	"runtime"
	"testing"
	"time"

	"github.com/nolive/nolive/harness/analysis"
	"github.com/nolive/nolive/harness/event"
)

// every is a check of each kind, none of which stops looking early.
func every() []Check {
	return []Check{
		Attempts{Of: "r", Backend: "*", Count: AtLeast(1)}, Duplicates{Of: "r", Count: Exactly(0)}, FanOut{Of: "r", Each: Exactly(1), Distinct: Distinct{Span: Exactly(1)}},
		InRotation{Backend: "*"}, Latency{Of: "r", P99: LessThan(time.Second)}, Log{Contains: "live"}, Marked{Backend: "*"}, Out{Backend: "*", For: Exactly(time.Second)},
		Reused{Of: "r", Count: Exactly(0)}, Sequence{Of: "r", Status: []Answer{"200", "200"}}, Sequence{Of: "r", Peers: []string{"a"}},
		Share{Of: "r", Status: "200", Is: Exactly(Pct(0))}, Slow{Of: "r", Over: time.Second, Count: Exactly(0)}, Status{Of: "r", Is: "200"}, Truncated{Of: "r", Count: Exactly(0)},
	}
}

// tell makes up exchange n and what goes with it.
func tell(o analysis.Observer, x *analysis.Exchange, n int) {
	at := time.Duration(n) * 10 * time.Millisecond
	// Requests end in another order than they were sent.
	x.Request.N, x.Sent, x.Ended, x.Outcome, x.Status = n^3, at, at+time.Duration(n%977)*3*time.Millisecond, event.Passed, 200+n%5*100
	if n%13 == 0 {
		x.Outcome = event.Truncated
	}
	for i := range x.Attempts {
		x.Attempts[i].Started, x.Attempts[i].Ended, x.Attempts[i].Cached = at, at, n%2 == 0
	}
	o.Exchange(x)
	if n%10 == 0 {
		o.Mark(analysis.Mark{At: at, Peer: "a", Upstream: "u", Request: x.Request, Try: 1})
		o.Stretch(analysis.Stretch{Peer: "a", Upstream: "u", From: at, To: at + time.Duration(n%7)*time.Second})
		o.Log(event.Event{At: at, Kind: event.Logged, Detail: "no live upstreams"})
	}
}

func sample() *analysis.Exchange {
	return &analysis.Exchange{
		Request:  event.Request{Traffic: "r"},
		Attempts: []analysis.Attempt{{Peer: "a", Upstream: "u", Outcome: event.Reset}, {Peer: "b", Upstream: "u", Outcome: event.Passed}},
		Got:      []string{"a", "b"},
	}
}

// A judge remembers a dozen events and a few numbers, however long the run is.
func TestJudgesMemoryIsFlat(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range every() {
		seen[c.Kind()] = true
		t.Run(c.String(), func(t *testing.T) {
			j, x := c.Start(), sample()
			mallocs := func(from, to int) (uint64, uint64) {
				for n := from; n < to; n++ {
					tell(j, x, n)
				}
				runtime.GC()
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				return m.Mallocs, m.HeapAlloc
			}
			before, heap := mallocs(1, 20_000)
			after, heapAfter := mallocs(20_000, 400_000)
			if n := after - before; n > 50 {
				t.Errorf("%d allocations for 380,000 requests", n)
			}
			if heapAfter > heap+16<<10 {
				t.Errorf("the heap grew from %d to %d bytes", heap, heapAfter)
			}
			// A backend that was never marked and never failed has nothing to show.
			v := j.Verdict(Run{End: time.Hour, Backends: []string{"a", "b"}})
			if len(v.Evidence) > maxEvidence || len(v.Got) > 200 || !v.OK && len(v.Evidence) == 0 && c.Kind() != "marked" {
				t.Errorf("%d events of evidence, got %q", len(v.Evidence), v.Got)
			}
		})
	}
	for _, k := range Kinds() {
		if !seen[k.Name] {
			t.Errorf("%s isn't here", k.Name)
		}
	}
}

func BenchmarkJudges(b *testing.B) {
	for _, c := range every() {
		b.Run(c.String(), func(b *testing.B) {
			j, x, n := c.Start(), sample(), 1
			for ; n < 20_000; n++ {
				tell(j, x, n)
			}
			b.ReportAllocs()
			for b.Loop() {
				tell(j, x, n)
				n++
			}
		})
	}
}
