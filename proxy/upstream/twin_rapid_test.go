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
	cfg := upstream.Config{Name: "u"}
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
		capacity: cfg.Keepalive.Connections, idleFor: cfg.Keepalive.Timeout, perConnection: cfg.Keepalive.Requests,
	}}
	p.check.group = cfg
	p.group = upstream.NewGroup(cfg, event.SinkFunc(func(e event.Event) {
		p.marked = p.marked || e.Kind == event.PeerMarked
		p.check.event(e)
	}))
	p.cache = upstream.NewCache(cfg.Keepalive)
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

func (p *pair) begin(t *rapid.T) {
	pol, set := drawPolicy(t)
	method := rapid.SampledFrom([]string{"GET", "GET", "POST", "PUT", "LOCK", "PATCH"}).Draw(t, "method")
	f := &flight{
		real: &upstream.Request{},
		twin: &twinRequest{method: method, words: set, limit: pol.Timeout, streamed: pol.Unbuffered},
		name: fmt.Sprintf("r/%d", p.check.requests+1),
	}
	if n := len(p.reuse); n > 0 { // a finished Request may begin again
		f.real, p.reuse = p.reuse[n-1], p.reuse[:n-1]
	}
	p.check.requests++
	id, err := event.ParseRequest(f.name)
	if err != nil {
		t.Fatal(err)
	}
	d := f.real.Begin(p.group, p.cache, upstream.Arrival{ID: id, Method: method, Policy: pol}, p.now)
	p.flights = append(p.flights, f)
	p.agree(t, f, d, p.twin.begin(f.twin, pol.Tries, p.wall()))
}

// step ends an attempt, or a response, of a request in flight.
func (p *pair) step(t *rapid.T) {
	f := rapid.SampledFrom(p.flights).Draw(t, "flight")
	if f.passing != 0 {
		p.end(t, f, rapid.SampledFrom([]event.Outcome{event.Passed, event.Truncated, event.Aborted}).Draw(t, "end"))
		return
	}
	if rapid.IntRange(0, 15).Draw(t, "gone") == 15 {
		f.real.Gone()
		f.twin.gone = true
	}
	switch rapid.IntRange(0, 2).Draw(t, "how") {
	case 0:
		k := rapid.SampledFrom([]struct {
			outcome event.Outcome
			ft      string
			sent    bool
		}{
			{event.Refused, "error", false}, {event.ConnectTimeout, "timeout", false},
			{event.SendTimeout, "timeout", true}, {event.ReadTimeout, "timeout", true},
			{event.Reset, "error", true}, {event.Closed, "error", true}, {event.InvalidHeader, "invalid_header", true},
		}).Draw(t, "failure")
		p.agree(t, f, f.real.Fail(p.now, k.outcome), f.twin.fail(k.ft, k.sent, p.wall()))
	case 1:
		status := rapid.SampledFrom([]int{200, 301, 403, 404, 429, 500, 501, 502, 503, 504}).Draw(t, "status")
		p.agree(t, f, f.real.Header(p.now, status), f.twin.header(status, p.wall()))
	case 2:
		p.end(t, f, event.Aborted)
	}
}

// end finishes a request without a failure and may keep its connection.
func (p *pair) end(t *rapid.T, f *flight, o event.Outcome) {
	if p.cache != nil && o == event.Passed && rapid.Bool().Draw(t, "keep") {
		peer := f.twin.peer
		p.conns++
		served := rapid.IntRange(1, 3).Draw(t, "served")
		age := rapid.SampledFrom([]time.Duration{0, time.Hour, time.Hour + 1}).Draw(t, "age")
		got := p.cache.Store(upstream.ConnID(p.conns), peer.index, served, p.now-age, p.now)
		if want := p.twin.store(p.conns, peer.name, served, age, p.wall()); uint64(got) != want {
			t.Fatalf("storing %d closes %d, the twin %d", p.conns, got, want)
		}
	}
	f.real.End(p.now, o, f.passing)
	f.twin.free("OK", p.wall())
	p.done(f)
}

// remove lets an idle connection die, or one that is idle no more.
func (p *pair) remove(t *rapid.T) {
	id := rapid.Uint64Range(1, p.conns+1).Draw(t, "conn")
	if got, want := p.cache.Remove(upstream.ConnID(id)), p.twin.remove(id); got != want {
		t.Fatalf("removing %d: %v, the twin %v", id, got, want)
	}
}

func (p *pair) done(f *flight) {
	p.flights = slices.DeleteFunc(p.flights, func(g *flight) bool { return g == f })
	p.reuse = append(p.reuse, f.real)
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
