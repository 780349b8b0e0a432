package clock

import (
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Kind says what was late.
type Kind uint8

// The kinds of lateness.
const (
	// Send: a planned send of the load.
	Send Kind = iota
	// Wait: a wait of a backend's script, or of the reference proxy.
	Wait
	// Stall: a beat that nothing waits for but whoever wants to know how long the
	// machine stood still while nothing of the run was due.
	Stall
	kinds
)

// Lateness collects how late sends, waits and beats were, in scenario time. The zero
// value is ready; it is safe for concurrent use.
type Lateness struct {
	mu   sync.Mutex
	hist [kinds]*hdrhistogram.Histogram
	max  [kinds]time.Duration
	also func(Kind, time.Duration)
}

// Also has f called with every lateness that is noted from now on.
func (l *Lateness) Also(f func(Kind, time.Duration)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.also = f
}

// Jitter sums up one kind of lateness, in scenario time with three digits.
type Jitter struct {
	Count    int64
	P50, P99 time.Duration
	Max      time.Duration
}

// Note records one lateness; a negative one counts as 0.
func (l *Lateness) Note(k Kind, d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.hist[k] == nil {
		// Microseconds up to an hour.
		l.hist[k] = hdrhistogram.New(1, 3600e6, 3)
	}
	_ = l.hist[k].RecordValue(min(max(d.Microseconds(), 0), 3600e6))
	l.max[k] = max(l.max[k], d)
	if l.also != nil {
		l.also(k, d)
	}
}

// Max is the worst lateness of one kind so far. Unlike Jitter it is exact and
// costs nothing, so a run can look at it while it goes on.
func (l *Lateness) Max(k Kind) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.max[k]
}

// Jitter returns the summary of one kind.
func (l *Lateness) Jitter(k Kind) Jitter {
	l.mu.Lock()
	defer l.mu.Unlock()
	h := l.hist[k]
	if h == nil {
		return Jitter{}
	}
	us := func(v int64) time.Duration { return time.Duration(v) * time.Microsecond }
	return Jitter{Count: h.TotalCount(), P50: us(h.ValueAtQuantile(50)), P99: us(h.ValueAtQuantile(99)), Max: us(h.Max())}
}
