package upstream_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/upstream"

	"pgregory.net/rapid"
)

// many is a group of n servers, with a fail_timeout of 10 s.
func many(n int) *upstream.Group {
	cfg := upstream.Config{Name: "u"}
	for i := range n {
		cfg.Servers = append(cfg.Servers, upstream.NewServer(fmt.Sprint(i)))
	}
	return upstream.NewGroup(cfg, event.Discard)
}

// TestNothingIsAllocated holds for a Request that began before in any group, and
// up to 64 servers in a half for a fresh one too.
func TestNothingIsAllocated(t *testing.T) {
	for _, n := range []int{1, 3, 1000} {
		g := many(n)
		var r upstream.Request
		now := time.Duration(0)
		whole := func() {
			now += 11 * time.Second // nobody stays out
			d := r.Begin(g, nil, upstream.Arrival{Method: "GET"}, now)
			if d = r.Fail(now, event.Reset); d.Action == upstream.Try {
				r.Header(now, 200)
				r.End(now, event.Passed, 200)
			}
		}
		for range n {
			whole() // every position was in the set of tried once
		}
		if got := testing.AllocsPerRun(100, whole); got != 0 {
			t.Errorf("%d servers: %v allocations a request", n, got)
		}
	}
	g := many(64)
	if got := testing.AllocsPerRun(100, func() {
		r := upstream.Request{}
		r.Begin(g, nil, upstream.Arrival{Method: "GET"}, 0)
		r.End(0, event.Passed, 200)
	}); got != 0 {
		t.Errorf("a fresh request: %v allocations", got)
	}
}

// TestSharesFollowWeights: while nobody fails, every round of as many picks as
// the weights sum up to gives each peer exactly its weight.
func TestSharesFollowWeights(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg, sum := upstream.Config{Name: "u"}, 0
		for i, w := range rapid.SliceOfN(rapid.IntRange(1, 7), 2, 6).Draw(t, "weights") {
			s := upstream.NewServer(fmt.Sprint(i))
			s.Weight = w
			sum += w
			cfg.Servers = append(cfg.Servers, s)
		}
		g := upstream.NewGroup(cfg, event.Discard)
		for round := range 3 {
			got := make([]int, len(cfg.Servers))
			for range sum {
				var r upstream.Request
				got[r.Begin(g, nil, upstream.Arrival{Method: "GET"}, 0).Peer]++
				r.End(0, event.Passed, 200)
			}
			for i, s := range cfg.Servers {
				if got[i] != s.Weight {
					t.Fatalf("round %d: %s got %d of %d, weight %d", round, s.Name, got[i], sum, s.Weight)
				}
			}
		}
	})
}

// TestALoneServerIsNeverMarked whatever its parameters and however it fails.
func TestALoneServerIsNeverMarked(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := upstream.NewServer("a")
		s.MaxFails = rapid.IntRange(0, 3).Draw(t, "max_fails")
		g := upstream.NewGroup(upstream.Config{Name: "u", Servers: []upstream.Server{s}}, event.SinkFunc(func(e event.Event) {
			if e.Kind == event.PeerMarked || e.Kind == event.NoLive {
				t.Fatalf("%v", e.Kind)
			}
		}))
		for i := range 20 {
			var r upstream.Request
			r.Begin(g, nil, upstream.Arrival{Method: "GET"}, time.Duration(i))
			o := rapid.SampledFrom([]event.Outcome{event.Refused, event.ReadTimeout, event.Closed, event.InvalidHeader}).Draw(t, "outcome")
			if d := r.Fail(time.Duration(i), o); d.Action != upstream.Answer || g.State(0)[0].Out {
				t.Fatalf("%+v, %v", d, g.State(0))
			}
		}
	})
}

// TestEveryPeerOnce: a request that fails everywhere tries each of many servers
// once and then gives up, because tries is used up.
func TestEveryPeerOnce(t *testing.T) {
	const n = 200 // more than the 64 that need no memory, and two words more
	cfg := many(n).Config()
	for i := range cfg.Servers {
		cfg.Servers[i].MaxFails = 0 // so that only having been tried keeps a server out
	}
	g := upstream.NewGroup(cfg, event.Discard)
	var r upstream.Request
	tried := map[int]bool{}
	d := r.Begin(g, nil, upstream.Arrival{Method: "GET"}, 0)
	for d.Action == upstream.Try {
		if tried[d.Peer] {
			t.Fatalf("server %d is tried twice", d.Peer)
		}
		tried[d.Peer] = true
		d = r.Fail(0, event.Reset)
	}
	if len(tried) != n || d.Status != 502 {
		t.Errorf("%d of %d servers tried, status %d", len(tried), n, d.Status)
	}
}

// TestBeforeTheOrigin: a shell may act a little before scenario time 0, and those
// seconds are as long as any other.
func TestBeforeTheOrigin(t *testing.T) {
	g := many(2)
	var r upstream.Request
	r.Begin(g, nil, upstream.Arrival{Method: "GET"}, -1500*time.Millisecond)
	r.End(-1500*time.Millisecond, event.Passed, 200)
	r.Begin(g, nil, upstream.Arrival{Method: "GET"}, -2*time.Second)
	if s := g.State(0); s[0].Checked != -2 || s[1].Checked != -2 {
		t.Errorf("%v", s)
	}
}

// TestGoneIsCountedAndNotRetried: nginx counts the failure before it looks at
// the client (ngx_http_upstream_next).
func TestGoneIsCountedAndNotRetried(t *testing.T) {
	g := many(2)
	var r upstream.Request
	r.Begin(g, nil, upstream.Arrival{Method: "GET"}, 0)
	r.Gone()
	if d := r.Fail(0, event.Reset); d != (upstream.Decision{Action: upstream.Answer, Status: 499}) {
		t.Errorf("%+v", d)
	}
	if s := g.State(0); !s[0].Out || s[0].Conns != 0 || s[1].Checked != -1 {
		t.Errorf("%v", s)
	}
}

func BenchmarkPick1000Peers(b *testing.B) {
	g := many(1000)
	var r upstream.Request
	b.ReportAllocs()
	for b.Loop() {
		r.Begin(g, nil, upstream.Arrival{Method: "GET"}, time.Second)
		r.End(time.Second, event.Passed, 200)
	}
}

func BenchmarkBeginEnd(b *testing.B) {
	g := many(4)
	var r upstream.Request
	b.ReportAllocs()
	for b.Loop() {
		r.Begin(g, nil, upstream.Arrival{Method: "GET"}, time.Second)
		r.Header(time.Second, 200)
		r.End(time.Second, event.Passed, 200)
	}
}

// BenchmarkMark is a failure that marks a peer, and the next peer's success.
func BenchmarkMark(b *testing.B) {
	for _, n := range []int{4, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			g := many(n)
			var r upstream.Request
			now := time.Duration(0)
			b.ReportAllocs()
			for b.Loop() {
				now += 11 * time.Second // nobody stays out
				r.Begin(g, nil, upstream.Arrival{Method: "GET"}, now)
				r.Fail(now, event.Reset)
				r.End(now, event.Passed, 200)
			}
		})
	}
}
