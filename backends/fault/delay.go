package fault

import (
	"fmt"
	"math"
	"time"
)

// Delay is a wait whose length is drawn, or depends on the time. Exactly one of
// its four forms is set.
type Delay struct {
	// Lo and Hi bound a uniform distribution.
	Lo, Hi time.Duration
	// Median and P99 are those of a lognormal distribution.
	Median, P99 time.Duration
	// List are lengths of which one is drawn; one that is in it twice is twice as likely.
	List []time.Duration
	// First and Last are the lengths at the two ends of a ramp that takes Over, from
	// the moment at which the rule's window opened.
	First, Last, Over time.Duration
}

// z99 is the 99th percentile of the standard normal distribution.
const z99 = 2.3263478740408408

// At is the length for a draw in [0, 1) and for a rule in force since.
func (d *Delay) At(draw float64, since time.Duration) time.Duration {
	switch {
	case d.Over > 0:
		done := min(float64(since)/float64(d.Over), 1)
		return d.First + time.Duration(done*float64(d.Last-d.First))
	case len(d.List) > 0:
		return d.List[int(draw*float64(len(d.List)))]
	case d.P99 > 0:
		sigma := math.Log(float64(d.P99)/float64(d.Median)) / z99
		z := math.Sqrt2 * math.Erfinv(2*draw-1)
		return time.Duration(min(float64(d.Median)*math.Exp(sigma*z), float64(d.Most())))
	}
	return d.Lo + time.Duration(draw*float64(d.Hi-d.Lo))
}

// Most is the greatest length. The tail of a lognormal distribution ends where
// one draw in 30 million lies beyond it.
func (d *Delay) Most() time.Duration {
	switch {
	case d.Over > 0:
		return max(d.First, d.Last)
	case len(d.List) > 0:
		most := d.List[0]
		for _, l := range d.List {
			most = max(most, l)
		}
		return most
	case d.P99 > 0:
		sigma := math.Log(float64(d.P99)/float64(d.Median)) / z99
		return time.Duration(min(float64(d.Median)*math.Exp(5.4*sigma), float64(maxSpan)))
	}
	return d.Hi
}

// none says whether no form is set.
func (d *Delay) none() bool {
	return d.Lo == 0 && d.Hi == 0 && d.Median == 0 && d.P99 == 0 && len(d.List) == 0 && d.First == 0 && d.Last == 0 && d.Over == 0
}

// check says which field can't be meant.
func (d *Delay) check() error {
	for _, f := range []struct {
		name string
		d    time.Duration
	}{{"min", d.Lo}, {"max", d.Hi}, {"median", d.Median}, {"p99", d.P99}, {"first", d.First}, {"last", d.Last}, {"over", d.Over}} {
		if err := checkSpan(f.name, f.d); err != nil {
			return err
		}
	}
	for _, l := range d.List {
		if err := checkSpan("one_of", l); err != nil {
			return err
		}
	}
	switch {
	case d.Hi < d.Lo:
		return fmt.Errorf("max: %v is less than min, %v", d.Hi, d.Lo)
	case d.P99 > 0 && d.Median == 0:
		return fmt.Errorf("median: missing beside p99")
	case d.Median > 0 && d.P99 == 0:
		return fmt.Errorf("p99: missing beside median")
	case d.P99 < d.Median:
		return fmt.Errorf("p99: %v is less than the median, %v", d.P99, d.Median)
	case d.Over == 0 && (d.First != 0 || d.Last != 0):
		return fmt.Errorf("over: missing; how long does it take from first to last?")
	}
	return nil
}
