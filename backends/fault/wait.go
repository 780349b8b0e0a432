package fault

import (
	"fmt"
	"time"
)

// WaitSpec is `wait: 2s`: a step of a list that lets time pass.
type WaitSpec struct {
	// For is how long, more than 0.
	For time.Duration `yaml:"for"`
}

// Scalar takes the short form: the duration alone.
func (s *WaitSpec) Scalar(text string) error {
	d, err := time.ParseDuration(text)
	if err != nil {
		return fmt.Errorf("wait: %q is no duration, as 250ms or 2s", text)
	}
	s.For = d
	return nil
}

// Fault returns the step; the error names the field that is wrong.
func (s *WaitSpec) Fault() (Fault, error) {
	if s.For == 0 {
		return Fault{}, fmt.Errorf("for: missing, as in {wait: 2s}")
	}
	if err := checkSpan("for", s.For); err != nil {
		return Fault{}, err
	}
	return Fault{Script: Script{Name: "wait", Steps: []Step{{Op: Wait, For: s.For}}}}, nil
}
