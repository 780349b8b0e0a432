package upstream_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/upstream"
)

// TestNoMethodAllocates: with a key longer than what fits into anything small.
func TestNoMethodAllocates(t *testing.T) {
	for m := range upstream.RandomTwo + 1 {
		cfg := many(60).Config()
		cfg.Method = m
		for i := range cfg.Servers {
			cfg.Servers[i].MaxFails, cfg.Servers[i].Down = 0, i%3 == 0
		}
		g := upstream.NewGroup(cfg, event.Discard)
		var r upstream.Request
		a := upstream.Arrival{Method: "GET", ClientAddr: []byte{10, 1, 2, 3}, Key: strings.Repeat("key ", 50), Seed: 1}
		if got := testing.AllocsPerRun(100, func() {
			a.ID.N++
			d := r.Begin(g, nil, a, 0)
			for range 5 {
				d = r.Fail(0, event.Reset)
			}
			if d.Action == upstream.Try {
				r.End(0, event.Passed, 200)
			}
		}); got != 0 {
			t.Errorf("%v: %v allocations a request", m, got)
		}
	}
}

// TestAKeyStaysWithItsServer and moves only when that server is out: of
// consistent hashing's keys no others move, of plain hashing's neither.
func TestAKeyStaysWithItsServer(t *testing.T) {
	for _, m := range []upstream.Method{upstream.IPHash, upstream.Hash, upstream.ConsistentHash} {
		cfg := many(7).Config()
		cfg.Method = m
		where := func(down int) (out []int) {
			c := cfg
			c.Servers = slices.Clone(cfg.Servers)
			if down >= 0 {
				c.Servers[down].Down = true
			}
			g := upstream.NewGroup(c, event.Discard)
			for n := range 500 {
				var r upstream.Request
				d := r.Begin(g, nil, upstream.Arrival{Key: fmt.Sprint("key", n), ClientAddr: []byte{10, byte(n), byte(n / 256), 1}}, 0)
				r.End(0, event.Passed, 200)
				out = append(out, d.Peer)
			}
			return out
		}
		all, without := where(-1), where(2)
		moved := 0
		for n := range all {
			switch {
			case all[n] == 2:
				moved++
				if without[n] == 2 {
					t.Fatalf("%v: key %d goes to a server that is down", m, n)
				}
			case all[n] != without[n]:
				t.Errorf("%v: key %d went from %d to %d although both are up", m, n, all[n], without[n])
			}
		}
		if moved < 20 || moved > 150 {
			t.Errorf("%v: one server of seven has %d keys of 500", m, moved)
		}
	}
}

// TestEveryPointOfTheRing: enough keys to fall next to each of the points.
func TestEveryPointOfTheRing(t *testing.T) {
	p := newPair(upstream.Config{Name: "u", Method: upstream.ConsistentHash, Servers: []upstream.Server{
		upstream.NewServer("app1:8080"), upstream.NewServer("app2"), upstream.NewServer("app3:81"),
	}})
	for n := range 3000 {
		key := fmt.Sprint("key", n)
		var r upstream.Request
		d := r.Begin(p.group, nil, upstream.Arrival{Method: "GET", Key: key}, 0)
		r.End(0, event.Passed, 200)
		w := &twinRequest{method: "GET", know: twinKnows{key: key}}
		if want := p.twin.begin(w, 0, p.wall()); want.Peer != d.Peer {
			t.Fatalf("%s: %d, the twin %d", key, d.Peer, want.Peer)
		}
		w.free("OK", p.wall())
	}
}

// TestTheRingGoesByTheAddress: what nginx has in the place of a name is what it
// hashes, so keys go where they went with that for a name.
func TestTheRingGoesByTheAddress(t *testing.T) {
	servers := func(names ...string) (out []upstream.Server) {
		for _, n := range names {
			out = append(out, upstream.NewServer(n))
		}
		return out
	}
	picks := func(servers []upstream.Server) (out []int) {
		g := upstream.NewGroup(upstream.Config{Name: "u", Method: upstream.ConsistentHash, Servers: servers}, event.Discard)
		for n := range 100 {
			var r upstream.Request
			out = append(out, r.Begin(g, nil, upstream.Arrival{Method: "GET", Key: fmt.Sprint(n)}, 0).Peer)
			r.End(0, event.Passed, 200)
		}
		return out
	}
	named := servers("app1:8080", "app2:8080", "app3:8080")
	moved := servers("127.0.0.1:19411", "127.0.0.1:19412", "127.0.0.1:19413")
	if slices.Equal(picks(named), picks(moved)) {
		t.Error("other names, and every key stays")
	}
	for i := range moved {
		moved[i].Address = named[i].Name
	}
	if a, b := picks(named), picks(moved); !slices.Equal(a, b) {
		t.Errorf("by name   %v\nby address %v", a, b)
	}
}

// TestDrawsFollowWeights: 8000 draws of weights 1, 2 and 5, each share within 5
// standard deviations; a request's own draws are the same every time.
func TestDrawsFollowWeights(t *testing.T) {
	cfg := upstream.Config{Name: "u", Method: upstream.Random}
	for i, w := range []int{1, 2, 5} {
		s := upstream.NewServer(fmt.Sprint(i))
		s.Weight = w
		cfg.Servers = append(cfg.Servers, s)
	}
	draw := func(seed uint64) (peers []int) {
		g := upstream.NewGroup(cfg, event.Discard)
		for n := range 8000 {
			var r upstream.Request
			d := r.Begin(g, nil, upstream.Arrival{ID: event.Request{Traffic: "t", N: n}, Seed: seed}, 0)
			r.End(0, event.Passed, 200)
			peers = append(peers, d.Peer)
		}
		return peers
	}
	first := draw(1)
	var got [3]float64
	for _, p := range first {
		got[p]++
	}
	for i, w := range []float64{1, 2, 5} {
		want := 8000 * w / 8
		if math.Abs(got[i]-want) > 5*math.Sqrt(want*(1-w/8)) {
			t.Errorf("weight %v got %v, want %v", w, got[i], want)
		}
	}
	if !slices.Equal(first, draw(1)) {
		t.Error("the same seed draws something else")
	}
	if slices.Equal(first, draw(2)) {
		t.Error("another seed draws the same")
	}
}

func BenchmarkPickByMethod(b *testing.B) {
	for m := range upstream.RandomTwo + 1 {
		b.Run(m.String(), func(b *testing.B) {
			cfg := many(1000).Config()
			cfg.Method = m
			g := upstream.NewGroup(cfg, event.Discard)
			var r upstream.Request
			a := upstream.Arrival{Method: "GET", ClientAddr: []byte{10, 1, 2, 3}, Key: "/index.html", Seed: 1}
			b.ReportAllocs()
			for b.Loop() {
				a.ID.N++
				r.Begin(g, nil, a, time.Second)
				r.End(time.Second, event.Passed, 200)
			}
		})
	}
}
