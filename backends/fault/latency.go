package fault

import (
	"fmt"
	"strings"
	"time"
)

// Latency is how long something takes: one length of time, or one that is drawn
// for each request, or that grows or shrinks. One of the forms is given; the zero
// value is no time at all. What is drawn is drawn by seed, backend and request, so
// that it is the same on every engine.
type Latency struct {
	// For is how long, always.
	For time.Duration `yaml:"for"`
	// Min and Max bound a time of which any length is as likely.
	Min time.Duration `yaml:"min"`
	Max time.Duration `yaml:"max"`
	// Median of times with a long tail (lognormal); with p99.
	Median time.Duration `yaml:"median"`
	// P99 is the time that one in a hundred exceeds.
	P99 time.Duration `yaml:"p99"`
	// OneOf are times of which one is drawn.
	OneOf []time.Duration `yaml:"one_of"`
	// First is the time at the start of a ramp, when the rule's window opens.
	First time.Duration `yaml:"first"`
	// Last is the time at the end of the ramp and from then on.
	Last time.Duration `yaml:"last"`
	// Over is how long the ramp takes.
	Over time.Duration `yaml:"over"`
}

// For is the latency that is always d.
func For(d time.Duration) Latency { return Latency{For: d} }

// Scalar takes the short forms: a duration, or a range of them.
func (l *Latency) Scalar(text string) error {
	lo, hi, ranged := strings.Cut(text, "..")
	d, err := time.ParseDuration(strings.TrimSpace(lo))
	if err == nil && ranged {
		l.Min = d
		l.Max, err = time.ParseDuration(strings.TrimSpace(hi))
	} else {
		l.For = d
	}
	if err != nil {
		return fmt.Errorf("%q is no duration, as 250ms or 2s, and no range of them", text)
	}
	return nil
}

// forms is how many of the forms are given.
func (l *Latency) forms() (n int) {
	for _, given := range []bool{l.For != 0, l.Max != 0, l.Median != 0, len(l.OneOf) > 0, l.Over != 0} {
		if given {
			n++
		}
	}
	return n
}

// fixed says whether it is one length of time for all.
func (l *Latency) fixed() bool { return l.delay().none() }

func (l *Latency) delay() *Delay {
	return &Delay{Lo: l.Min, Hi: l.Max, Median: l.Median, P99: l.P99, List: l.OneOf, First: l.First, Last: l.Last, Over: l.Over}
}

// check says which field can't be meant.
func (l *Latency) check() error {
	if err := l.delay().check(); err != nil {
		return err
	}
	if l.forms() > 1 {
		return fmt.Errorf("for: one kind of time only: for, min and max, median and p99, one_of, or first, last and over")
	}
	return checkSpan("for", l.For)
}

// checkAs is check for a latency that stands behind a key.
func (l *Latency) checkAs(key string) error {
	if l.fixed() {
		return checkSpan(key, l.For)
	}
	if err := l.check(); err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	return nil
}

// wait adds the wait to steps, if there is one.
func (l *Latency) wait(steps []Step) []Step {
	if d := l.delay(); !d.none() {
		return append(steps, Step{Op: Wait, Delay: d})
	}
	return wait(steps, l.For)
}
