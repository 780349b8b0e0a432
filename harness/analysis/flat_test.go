package analysis

import (
	"runtime"
	"testing"
	"time"

	"github.com/nolive/nolive/harness/event"
)

// load makes up an endless run: two traffics, one in seven requests fails over,
// one in fifty hangs for a minute, every hundredth is read again after its end,
// and the proxy forgets to say that it answered every thousandth.
type load struct {
	sink event.Sink
	now  time.Duration
	n    int
	hung []hung
	sent int // events
}

type hung struct {
	id   event.Request
	till time.Duration
}

var (
	peers    = [...]string{"10.20.1.11:8080", "10.20.1.12:8080", "10.20.1.13:8080", "10.20.1.14:8080"}
	traffics = [...]string{"branch", "managers"}
)

func (l *load) emit(e event.Event) {
	l.sent++
	l.sink.Emit(e)
}

func (l *load) request() {
	l.n++
	l.now += 10 * time.Millisecond
	for len(l.hung) > 0 && l.hung[0].till <= l.now {
		l.end(l.hung[0].id, 1, peers[l.hung[0].id.N%4], event.ReadTimeout, 504)
		l.answer(l.hung[0].id, 504)
		l.hung = append(l.hung[:0], l.hung[1:]...)
	}
	id := event.Request{Traffic: traffics[l.n%2], N: (l.n + 1) / 2}
	l.emit(event.Event{At: l.now, Kind: event.RequestSent, Request: id})
	if l.n%50 == 0 {
		l.start(id, 1, peers[id.N%4])
		l.hung = append(l.hung, hung{id, l.now + time.Minute})
		return
	}
	try := 1
	if l.n%7 == 0 {
		l.start(id, 1, peers[id.N%4])
		l.end(id, 1, peers[id.N%4], event.Reset, 502)
		l.emit(event.Event{At: l.now, Kind: event.PeerMarked, Request: id, Try: 1, Peer: peers[id.N%4], Upstream: "portal"})
		try = 2
	}
	peer := peers[(id.N+try)%4]
	l.start(id, try, peer)
	l.emit(event.Event{At: l.now, Kind: event.BackendGot, Request: id, Peer: peer})
	l.end(id, try, peer, event.Passed, 200)
	if l.n%1000 == 0 {
		l.emit(event.Event{At: l.now, Kind: event.ResponseEnded, Request: id, Outcome: event.Passed, Status: 200})
		return
	}
	l.answer(id, 200)
	if l.n%100 == 0 {
		l.emit(event.Event{At: l.now, Kind: event.BackendGot, Request: id, Peer: peer})
	}
}

func (l *load) start(id event.Request, try int, peer string) {
	l.emit(event.Event{At: l.now, Kind: event.AttemptStarted, Request: id, Try: try, Peer: peer, Upstream: "portal"})
}

func (l *load) end(id event.Request, try int, peer string, o event.Outcome, status int) {
	l.emit(event.Event{At: l.now, Kind: event.AttemptEnded, Request: id, Try: try, Peer: peer, Upstream: "portal", Outcome: o, Status: status})
}

func (l *load) answer(id event.Request, status int) {
	l.emit(event.Event{At: l.now, Kind: event.ProxyAnswered, Request: id, Status: status})
	l.emit(event.Event{At: l.now, Kind: event.ResponseEnded, Request: id, Outcome: event.Passed, Status: status})
}

// Ten million events leave nothing behind: after the first million nothing is
// allocated any more, neither by the analysis nor by a summary.
func TestMemoryIsFlat(t *testing.T) {
	for _, c := range []struct {
		name      string
		observers []Observer
		bound     uint64 // allocations in nine million events
	}{
		{"alone", []Observer{nobody{}}, 8},
		// A summary lists intervals until there are MaxIntervals for a backend.
		{"with a summary", []Observer{NewSummary()}, 8},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := New(c.observers...)
			l := &load{sink: a}
			mallocs := func(events int) (uint64, uint64) {
				for l.sent < events {
					l.request()
				}
				runtime.GC()
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				return m.Mallocs, m.HeapAlloc
			}
			before, heap := mallocs(1_000_000)
			after, heapAfter := mallocs(10_000_000)
			if n := after - before; n > c.bound {
				t.Errorf("%d allocations between a million and ten million events", n)
			}
			if heapAfter > heap+64<<10 {
				t.Errorf("the heap grew from %d to %d bytes", heap, heapAfter)
			}
			// 120 hang at any time, and 6 wait for the proxy's word.
			for i, tr := range a.traffics {
				if tr.used > 130 {
					t.Errorf("%d requests of %s are said to be in flight", tr.used, a.index.keys[i])
				}
			}
			a.Close(l.now)
		})
	}
}

type nobody struct{}

func (nobody) Exchange(*Exchange) {}
func (nobody) Mark(Mark)          {}
func (nobody) Stretch(Stretch)    {}
func (nobody) Log(event.Event)    {}

func BenchmarkAnalysis(b *testing.B) {
	for _, c := range []struct {
		name     string
		observer Observer
	}{{"alone", nobody{}}, {"summary", NewSummary()}} {
		b.Run(c.name, func(b *testing.B) {
			l := &load{sink: New(c.observer)}
			for l.sent < 100_000 {
				l.request()
			}
			b.ReportAllocs()
			first := l.sent
			for b.Loop() {
				l.request()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(l.sent-first), "ns/event")
		})
	}
}
