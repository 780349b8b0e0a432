package fault

import (
	"fmt"
	"strings"
	"time"
)

// WaitSpec is `wait: 2s`, `wait: 10ms..50ms` or `wait: {median, p99}`, `{one_of}`,
// `{first, last, over}`: a step of a list that lets time pass. What is drawn is
// drawn by seed, backend and request, so that it is the same on every engine.
type WaitSpec struct {
	// For is how long, more than 0.
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

// Scalar takes the short forms: a duration, or a range of them.
func (s *WaitSpec) Scalar(text string) error {
	lo, hi, ranged := strings.Cut(text, "..")
	d, err := time.ParseDuration(strings.TrimSpace(lo))
	if err == nil && ranged {
		s.Min = d
		s.Max, err = time.ParseDuration(strings.TrimSpace(hi))
	} else {
		s.For = d
	}
	if err != nil {
		return fmt.Errorf("wait: %q is no duration, as 250ms or 2s, and no range of them", text)
	}
	return nil
}

// Fault returns the step; the error names the field that is wrong.
func (s *WaitSpec) Fault() (Fault, error) {
	d := &Delay{Lo: s.Min, Hi: s.Max, Median: s.Median, P99: s.P99, List: s.OneOf, First: s.First, Last: s.Last, Over: s.Over}
	if err := d.check(); err != nil {
		return Fault{}, err
	}
	forms := 0
	for _, given := range []bool{s.For != 0, s.Max != 0, s.Median != 0, len(s.OneOf) > 0, s.Over != 0} {
		if given {
			forms++
		}
	}
	switch {
	case forms > 1:
		return Fault{}, fmt.Errorf("for: one kind of time only: for, min and max, median and p99, one_of, or first, last and over")
	case forms == 0:
		return Fault{}, fmt.Errorf("for: missing, as in {wait: 2s}")
	}
	st := Step{Op: Wait, Delay: d}
	if s.For != 0 {
		if err := checkSpan("for", s.For); err != nil {
			return Fault{}, err
		}
		st = Step{Op: Wait, For: s.For}
	}
	if s.Median != 0 && s.P99 == 0 {
		return Fault{}, fmt.Errorf("p99: missing beside median")
	}
	return Fault{Script: Script{Name: "wait", Steps: []Step{st}}}, nil
}
