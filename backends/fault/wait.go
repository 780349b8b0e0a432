package fault

import "fmt"

// WaitSpec is `wait: 2s`, `wait: 10ms..50ms` or `wait: {median, p99}`, `{one_of}`,
// `{first, last, over}`: a step of a list that lets time pass.
type WaitSpec struct {
	Latency `yaml:",inline"`
}

// Scalar takes the short forms: a duration, or a range of them.
func (s *WaitSpec) Scalar(text string) error {
	if err := s.Latency.Scalar(text); err != nil {
		return fmt.Errorf("wait: %w", err)
	}
	return nil
}

// Fault returns the step; the error names the field that is wrong.
func (s *WaitSpec) Fault() (Fault, error) {
	if err := s.check(); err != nil {
		return Fault{}, err
	}
	if s.forms() == 0 {
		return Fault{}, fmt.Errorf("for: missing, as in {wait: 2s}")
	}
	return Fault{Script: Script{Name: "wait", Steps: s.wait(nil)}}, nil
}
