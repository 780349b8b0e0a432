package upstream_test

import (
	"testing"
	"time"

	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/upstream"

	"pgregory.net/rapid"
)

// TestCacheEvictsTheOneStoredLongestAgo, whatever its peer, and takes the one
// stored last of the peer that was picked. (The twin does the same at random.)
func TestCacheEvictsTheOneStoredLongestAgo(t *testing.T) {
	g := many(2)
	c := upstream.NewCache(upstream.Config{Keepalive: upstream.KeepaliveConfig{Connections: 3}})
	for i, want := range []upstream.ConnID{0, 0, 0, 1, 2} {
		id := upstream.ConnID(i + 1)
		if closed := c.Store(upstream.Served{Conn: id, Peer: i % 2, Requests: 1}, time.Duration(i)); closed != want {
			t.Errorf("storing %d closes %d, want %d", id, closed, want)
		}
	}
	// 3, 4 and 5 are idle; 3 and 5 lead to server 0, 4 to server 1.
	for i, want := range []upstream.ConnID{5, 4, 3, 0} {
		var r upstream.Request
		if d := r.Begin(g, c, upstream.Arrival{Method: "GET"}, 10); d.Conn != want || d.Peer != i%2 {
			t.Errorf("request %d: %+v, want connection %d", i, d, want)
		}
		r.End(10, event.Passed, 200)
	}
}

// TestCacheForgets what is too old to store, too often used, or idle too long.
func TestCacheForgets(t *testing.T) {
	c := upstream.NewCache(upstream.Config{Keepalive: upstream.KeepaliveConfig{Connections: 3}})
	if c.Store(upstream.Served{Conn: 1, Requests: 1000}, 1) != 1 || c.Store(upstream.Served{Conn: 2, Requests: 999}, time.Hour+1) != 2 {
		t.Error("keepalive_requests or keepalive_time isn't kept")
	}
	if c.Store(upstream.Served{Conn: 3, Requests: 999}, time.Hour) != 0 {
		t.Error("an hour old is young enough")
	}
	var r upstream.Request
	if d := r.Begin(many(1), c, upstream.Arrival{Method: "GET"}, time.Hour+60*time.Second); d.Conn != 0 {
		t.Error("idle for 60 s is too long")
	}
	if d := r.Begin(many(1), c, upstream.Arrival{Method: "GET"}, time.Hour+60*time.Second-1); d.Conn != 3 {
		t.Error("idle for less than 60 s is taken")
	}
	if c.Len() != 0 || c.Remove(3) {
		t.Error("a connection in use isn't idle")
	}
	if upstream.NewCache(upstream.Config{}) != nil {
		t.Error("no keepalive directive, no cache")
	}
}

// TestCacheAgreesWithItsTwin stores, takes and removes at random and compares
// what is closed, taken and there with a plain list.
func TestCacheAgreesWithItsTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := upstream.Config{Name: "u", Servers: []upstream.Server{upstream.NewServer("a"), upstream.NewServer("b")}}
		cfg.Keepalive = upstream.KeepaliveConfig{Connections: rapid.IntRange(1, 5).Draw(t, "connections"), Requests: 3, Timeout: 10}
		p := newPair(cfg)
		for range 60 {
			p.now += time.Duration(rapid.IntRange(0, 2).Draw(t, "pass"))
			switch rapid.IntRange(0, 4).Draw(t, "what") {
			case 0, 1, 2:
				p.conns++
				peer, served := rapid.IntRange(0, 1).Draw(t, "peer"), rapid.SampledFrom([]int{1, 2, 2, 3}).Draw(t, "served")
				got := p.cache.Store(upstream.Served{Conn: upstream.ConnID(p.conns), Peer: peer, Requests: served}, p.now)
				if want := p.twin.store(p.conns, cfg.Servers[peer].Name, served, p.now, p.wall()); uint64(got) != want {
					t.Fatalf("storing %d closes %d, the twin %d", p.conns, got, want)
				}
			case 3:
				var r upstream.Request
				tr := &twinRequest{method: "GET"}
				got, want := r.Begin(p.group, p.cache, upstream.Arrival{Method: "GET"}, p.now), p.twin.begin(tr, 0, p.wall())
				if got.Peer != want.Peer || uint64(got.Conn) != want.Conn {
					t.Fatalf("%+v, the twin %+v", got, want)
				}
				r.End(p.now, event.Passed, 200)
				tr.free("OK", p.wall())
			case 4:
				p.remove(t)
			}
		}
	})
}
