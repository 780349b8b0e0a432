package upstream_test

import (
	"fmt"
	"slices"
	"time"

	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/upstream"

	"pgregory.net/rapid"
)

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
	know := twinKnows{id: id, seed: rapid.Uint64().Draw(t, "seed"),
		key:    rapid.SampledFrom([]string{"", "a", "b", "/index.html", "user 17"}).Draw(t, "key"),
		octets: rapid.SampledFrom([][]byte{nil, {10, 0, 1, 2}, {192, 168, 200, 7}, {127, 0, 0, 1}, {0x20, 1, 0xd, 0xb8, 15: 1}}).Draw(t, "address"),
	}
	f.twin.know = know
	d := f.real.Begin(p.group, p.cache, upstream.Arrival{
		ID: id, Method: method, Policy: pol, Key: know.key, ClientAddr: know.octets, Seed: know.seed,
	}, p.now)
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
		got := p.cache.Store(upstream.Served{Conn: upstream.ConnID(p.conns), Peer: peer.index, Requests: served, Opened: p.now - age}, p.now)
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
