package analysis

import (
	"math"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// ExactLatencies is how many values Latencies keeps as they are; with more of
// them its quantiles have three digits.
const ExactLatencies = 4096

// longest is what the histogram can hold; longer ones count as this long, but
// Max stays exact.
const longest = 24 * time.Hour

// Latencies collects times in bounded memory. The zero value is ready.
type Latencies struct {
	exact []time.Duration
	hist  *hdrhistogram.Histogram // microseconds, instead of exact
	n     int
	max   time.Duration
}

// Add takes in one time; a negative one counts as 0.
func (l *Latencies) Add(d time.Duration) {
	d = max(d, 0)
	l.n++
	l.max = max(l.max, d)
	if l.hist == nil {
		if len(l.exact) < ExactLatencies {
			l.exact = append(l.exact, d)
			return
		}
		l.hist = hdrhistogram.New(1, longest.Microseconds(), 3)
		for _, v := range l.exact {
			l.record(v)
		}
		l.exact = nil
	}
	l.record(d)
}

func (l *Latencies) record(d time.Duration) {
	// It can only fail for values out of range.
	_ = l.hist.RecordValue(min(d, longest).Microseconds())
}

// Len is the number of values.
func (l *Latencies) Len() int { return l.n }

// Exact says whether quantiles are exact.
func (l *Latencies) Exact() bool { return l.hist == nil }

// Max is the largest value, always exact; 0 without values.
func (l *Latencies) Max() time.Duration { return l.max }

// Quantile is the smallest value that at least the share q, in 0..1, of all
// values doesn't exceed; 0 without values.
func (l *Latencies) Quantile(q float64) time.Duration {
	if l.n == 0 {
		return 0
	}
	if q >= 1 {
		return l.max
	}
	// The small number keeps 0.9*10 from being a little more than 9.
	rank := max(int(math.Ceil(q*float64(l.n)-1e-9)), 1)
	if l.hist != nil {
		// The histogram rounds to the nearest rank; asked for the share that this
		// very rank is, it finds it.
		us := l.hist.ValueAtQuantile(100 * float64(rank) / float64(l.n))
		return min(time.Duration(us)*time.Microsecond, l.max)
	}
	slices.Sort(l.exact)
	return l.exact[rank-1]
}
