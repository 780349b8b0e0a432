package analysis

import (
	"time"

	"github.com/nolive/nolive/harness/event"
)

// Summary counts a run: by traffic, by backend, and fan-out as the proxy tells
// it against fan-out as the backends saw it. Its memory doesn't grow with the
// run, but for one interval per stretch out of rotation, up to MaxIntervals a
// backend. The zero value is ready.
type Summary struct {
	traffic  index[string]
	traffics []*trafficTally
	backend  index[string]
	backends []*backendTally
	logLines int
	mismatch mismatches
}

var _ LateObserver = (*Summary)(nil)

// NewSummary returns an empty summary.
func NewSummary() *Summary { return &Summary{} }

// MaxIntervals is how many stretches of a backend are listed; more are counted.
const MaxIntervals = 4096

type trafficTally struct {
	requests int
	seen     []seenCount
	fanOut   []int // by number of attempts
	attempts int
	got      int
	noLive   int
	latency  Latencies
}

type seenCount struct {
	seen Seen
	n    int
}

type backendTally struct {
	attempts, reused int
	outcomes         [event.ClientRefused + 1]int
	got, gotLate     int
	marks            int
	out              []Interval
	outLeftOff       int
	outTime          time.Duration
}

func (s *Summary) backendOf(name string) *backendTally {
	i := s.backend.of(name)
	if i == len(s.backends) {
		s.backends = append(s.backends, &backendTally{})
	}
	return s.backends[i]
}

// Exchange implements Observer.
func (s *Summary) Exchange(x *Exchange) {
	i := s.traffic.of(x.Request.Traffic)
	if i == len(s.traffics) {
		s.traffics = append(s.traffics, &trafficTally{})
	}
	t := s.traffics[i]
	t.requests++
	t.count(x.Seen())
	t.attempts += len(x.Attempts)
	t.got += len(x.Got)
	for len(t.fanOut) <= len(x.Attempts) {
		t.fanOut = append(t.fanOut, 0)
	}
	t.fanOut[len(x.Attempts)]++
	if x.NoLive {
		t.noLive++
	}
	t.latency.Add(x.Latency())
	for i := range x.Attempts {
		a := &x.Attempts[i]
		if a.Peer == "" {
			continue // its events were lost
		}
		b := s.backendOf(a.Peer)
		b.attempts++
		if int(a.Outcome) < len(b.outcomes) {
			b.outcomes[a.Outcome]++
		}
		if a.Cached {
			b.reused++
		}
	}
	for _, name := range x.Got {
		s.backendOf(name).got++
	}
	s.mismatch.compare(x)
}

// Mark implements Observer.
func (s *Summary) Mark(m Mark) { s.backendOf(m.Peer).marks++ }

// Stretch implements Observer.
func (s *Summary) Stretch(x Stretch) {
	b := s.backendOf(x.Peer)
	b.outTime += x.Len()
	if len(b.out) == MaxIntervals {
		b.outLeftOff++
		return
	}
	b.out = append(b.out, Interval{From: seconds(x.From), To: seconds(x.To), Open: x.Open, Upstream: x.Upstream, Worker: x.Worker})
}

// Log implements Observer.
func (s *Summary) Log(event.Event) { s.logLines++ }

// Late implements LateObserver.
func (s *Summary) Late(e event.Event) {
	if e.Kind == event.BackendGot {
		s.backendOf(e.Peer).gotLate++
	}
}

func (t *trafficTally) count(seen Seen) {
	for i := range t.seen {
		if t.seen[i].seen == seen {
			t.seen[i].n++
			return
		}
	}
	t.seen = append(t.seen, seenCount{seen, 1})
}

// seconds rounds to microseconds, the resolution of events.jsonl.
func seconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1e6 }
