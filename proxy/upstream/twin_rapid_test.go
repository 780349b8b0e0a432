package upstream_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/upstream"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// origin is the wall clock at scenario time 0.
var origin = time.Unix(1_893_456_000, 0)

// pair is a group and its twin under the same load.
type pair struct {
	cfg   upstream.Config
	group *upstream.Group
	cache *upstream.Cache
	twin  *twin
	now   time.Duration
	// marked says whether the last step told a mark; events are all told so far.
	marked  bool
	flights []*flight
	conns   uint64
	reuse   []*upstream.Request
	check   propertyChecks
}

// flight is one request in both.
type flight struct {
	real    *upstream.Request
	twin    *twinRequest
	name    string
	passing int // the status that is being passed on, 0 before
	served  map[uint64]int
}

func drawConfig(t *rapid.T) upstream.Config {
	cfg := upstream.Config{Name: "u", Method: upstream.Method(rapid.IntRange(0, int(upstream.RandomTwo)).Draw(t, "method"))}
	n := rapid.IntRange(1, 6).Draw(t, "servers")
	for i := range n {
		s := upstream.Server{
			// Now and then the same address twice.
			Name:        string(rune('a' + rapid.SampledFrom([]int{i, i, i, i, 0}).Draw(t, "name"))),
			Weight:      rapid.IntRange(1, 5).Draw(t, "weight"),
			MaxFails:    rapid.IntRange(0, 3).Draw(t, "max_fails"),
			FailTimeout: time.Duration(rapid.IntRange(0, 3).Draw(t, "fail_timeout")) * time.Second,
			MaxConns:    rapid.SampledFrom([]int{0, 0, 0, 1, 2}).Draw(t, "max_conns"),
			Down:        rapid.IntRange(0, 5).Draw(t, "down") == 5,
		}
		s.Backup = i > 0 && rapid.IntRange(0, 3).Draw(t, "backup") == 3
		cfg.Servers = append(cfg.Servers, s)
	}
	if rapid.Bool().Draw(t, "keepalive") {
		cfg.Keepalive = upstream.KeepaliveConfig{
			Connections: rapid.IntRange(1, 3).Draw(t, "connections"),
			Requests:    rapid.IntRange(1, 3).Draw(t, "requests"),
			Timeout:     2 * time.Second,
		}
	}
	return cfg
}

func newPair(cfg upstream.Config) *pair {
	p := &pair{cfg: cfg, twin: &twin{
		method:   cfg.Method,
		capacity: cfg.Keepalive.Connections, idleFor: cfg.Keepalive.Timeout, perConnection: cfg.Keepalive.Requests,
	}}
	p.check.group = cfg
	p.group = upstream.NewGroup(cfg, event.SinkFunc(func(e event.Event) {
		p.marked = p.marked || e.Kind == event.PeerMarked
		p.check.event(e)
	}))
	p.cache = upstream.NewCache(cfg)
	for i, s := range cfg.Servers {
		tp := &twinPeer{
			name: s.Name, index: i, weight: s.Weight, ew: s.Weight, maxFails: s.MaxFails,
			failTimeout: int64(s.FailTimeout.Seconds()), maxConns: s.MaxConns, down: s.Down,
		}
		if s.Backup {
			p.twin.backup = append(p.twin.backup, tp)
		} else {
			p.twin.primary = append(p.twin.primary, tp)
		}
	}
	return p
}

// wall is now as the twin's clock.
func (p *pair) wall() time.Time { return origin.Add(p.now) }

// wait lets time pass, often right up to the edge of a second.
func (p *pair) wait(t *rapid.T) {
	edge := p.now.Truncate(time.Second) + time.Second
	switch rapid.IntRange(0, 5).Draw(t, "wait") {
	case 0:
		p.now += time.Millisecond
	case 1:
		p.now += time.Duration(rapid.IntRange(0, 900).Draw(t, "ms")) * time.Millisecond
	case 2:
		p.now = edge - 1
	case 3:
		p.now = edge
	case 4:
		p.now += time.Duration(rapid.IntRange(1, 5).Draw(t, "s")) * time.Second
	case 5: // no time passes
	}
}

var words = []string{
	"error", "timeout", "invalid_header", "http_500", "http_502", "http_503", "http_504",
	"http_403", "http_404", "http_429", "non_idempotent",
}

// drawPolicy returns a policy and the words it came from.
func drawPolicy(t *rapid.T) (upstream.Policy, map[string]bool) {
	set := map[string]bool{}
	var pol upstream.Policy
	switch rapid.IntRange(0, 3).Draw(t, "next") {
	case 0: // the default
		set["error"], set["timeout"] = true, true
	case 1:
		for _, w := range words {
			set[w] = true
		}
	default:
		for _, w := range rapid.SliceOfN(rapid.SampledFrom(append(words[:len(words):len(words)], "off")), 1, 6).Draw(t, "words") {
			set[w] = true
		}
	}
	if len(set) != 2 || !set["error"] || !set["timeout"] {
		for w := range set {
			f, err := upstream.ParseFlag(w)
			if err != nil {
				t.Fatal(err)
			}
			pol.Next |= f
		}
	}
	pol.Tries = rapid.SampledFrom([]int{0, 0, 1, 2, 3}).Draw(t, "tries")
	pol.Timeout = rapid.SampledFrom([]time.Duration{0, 0, 0, time.Millisecond, time.Second}).Draw(t, "limit")
	pol.Unbuffered = rapid.IntRange(0, 7).Draw(t, "unbuffered") == 7
	return pol, set
}

// agree compares one decision and goes on with the request.
func (p *pair) agree(t *rapid.T, f *flight, d upstream.Decision, want twinSays) {
	got := twinSays{Peer: d.Peer, Conn: uint64(d.Conn), Status: d.Status, Marked: p.marked}
	got.Do = map[upstream.Action]string{upstream.Try: "try", upstream.Pass: "pass", upstream.Answer: "answer"}[d.Action]
	p.marked = false
	if got != want {
		t.Fatalf("%s at %v: %+v, the twin %+v\n%s", f.name, p.now, got, want, p.describe())
	}
	switch d.Action {
	case upstream.Pass:
		f.passing = d.Status
	case upstream.Answer:
		p.done(f)
	}
	if p.check.wrong != "" {
		t.Fatal(p.check.wrong, p.describe())
	}
}

// compare looks at every counter of every peer.
func (p *pair) compare(t *rapid.T) {
	since := func(s int64) int64 {
		if s == 0 {
			return -1
		}
		return s - origin.Unix()
	}
	want := make([]upstream.PeerState, len(p.cfg.Servers))
	for _, q := range append(p.twin.primary[:len(p.twin.primary):len(p.twin.primary)], p.twin.backup...) {
		want[q.index] = upstream.PeerState{
			Name: q.name, Current: q.cw, Effective: q.ew, Fails: q.fails,
			Accessed: since(q.accessed), Checked: since(q.checked), Conns: q.conns,
			Out: q.maxFails > 0 && q.fails >= q.maxFails && p.wall().Unix()-q.checked <= q.failTimeout,
		}
	}
	if got := p.group.State(p.now); !slices.Equal(got, want) {
		t.Fatalf("state at %v, twin -, model +:\n%s\n%s", p.now, cmp.Diff(want, got), p.describe())
	}
	if p.cache != nil && p.cache.Len() != len(p.twin.idle) {
		t.Fatalf("%d idle connections, the twin %d", p.cache.Len(), len(p.twin.idle))
	}
	p.check.state(t, p.group.State(p.now))
}

func (p *pair) describe() string {
	var b strings.Builder
	fmt.Fprintf(&b, "  %v\n", p.cfg.Method)
	for _, s := range p.cfg.Servers {
		fmt.Fprintf(&b, "  %+v\n", s)
	}
	return b.String()
}

// TestModelAgreesWithItsTwin drives both with the same requests, several at a
// time, and compares every decision and every counter after every step.
func TestModelAgreesWithItsTwin(t *testing.T) {
	const batches = 100 // of 100 cases each, rapid's default
	cases, decisions := 0, 0
	for range batches {
		rapid.Check(t, func(t *rapid.T) {
			p := newPair(drawConfig(t))
			cases++
			for range rapid.IntRange(5, 25).Draw(t, "steps") {
				p.wait(t)
				switch what := rapid.IntRange(0, 9).Draw(t, "what"); {
				case len(p.flights) == 0 || what < 4 && len(p.flights) < 6:
					p.begin(t)
				case what == 9 && p.conns > 0:
					p.remove(t)
				default:
					p.step(t)
				}
				decisions++
				p.compare(t)
			}
			for len(p.flights) > 0 {
				p.end(t, p.flights[0], event.Aborted)
			}
			p.compare(t)
			p.check.idle(t, p.group.State(p.now))
		})
	}
	t.Logf("%d cases, %d steps", cases, decisions)
}
