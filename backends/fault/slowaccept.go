package fault

import (
	"fmt"
	"time"
)

// SlowAcceptSpec is `slow_accept: 200ms`: a backend that is slow to take
// connections. One is accepted at a time, in order of arrival, each so long after
// the one before; the kernel has completed the connects meanwhile.
type SlowAcceptSpec struct {
	// Every is the time that an accept takes, more than 0.
	Every time.Duration `yaml:"every"`
}

// Scalar takes the short form: the time alone.
func (s *SlowAcceptSpec) Scalar(text string) error {
	d, err := time.ParseDuration(text)
	if err != nil {
		return fmt.Errorf("slow_accept: %q is no duration, as 250ms or 2s", text)
	}
	s.Every = d
	return nil
}

// Fault returns the delay; the error names the field that is wrong.
func (s *SlowAcceptSpec) Fault() (Fault, error) {
	if s.Every == 0 {
		return Fault{}, fmt.Errorf("every: missing, as in {slow_accept: 200ms}")
	}
	if err := checkSpan("every", s.Every); err != nil {
		return Fault{}, err
	}
	return Fault{AcceptEvery: s.Every}, nil
}
