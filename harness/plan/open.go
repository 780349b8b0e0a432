package plan

import (
	"iter"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/nolive/nolive/backends/fault"
)

// Arrivals yields the instants of an open loop in order of time. The n-th
// yielded, from 1, is request traffic/n.
func (t *Traffic) Arrivals() iter.Seq[time.Duration] {
	l := t.Spec.Load
	return func(yield func(time.Duration) bool) {
		switch {
		case len(l.At) > 0:
			for _, at := range slices.Sorted(slices.Values(l.At)) {
				if !yield(at) {
					return
				}
			}
		case l.Rate > 0:
			start := t.start(1)
			gap := 0.0 // seconds since start
			for n := 1; ; n++ {
				if l.Poisson {
					gap += t.exponential(n) / l.Rate
				} else {
					gap = float64(n-1) / l.Rate
				}
				at := start + time.Duration(math.Round(gap*1e9))
				if at >= start+l.For || !yield(at) {
					return
				}
			}
		}
	}
}

// exponential draws the n-th gap of a Poisson process of rate 1. It is rounded
// to a nanosecond so that every machine has the same plan, whatever its last
// bits of a logarithm.
func (t *Traffic) exponential(n int) float64 {
	u := fault.Draw(t.seed, "gap", t.Spec.Name, strconv.Itoa(n))
	return math.Round(-math.Log(1-u)*1e9) / 1e9
}
