package fault

import (
	"fmt"
	"time"
)

// HangSpec is `hang: {at, bytes, share, ...}`: the backend stops where it is, and
// keeps the connection open without a word more. By default it has read the
// request and sent nothing.
type HangSpec struct {
	CutSpec `yaml:",inline"`
}

// Scalar takes the short form, the position alone. People write for how long, but a
// hang has no end.
func (s *HangSpec) Scalar(text string) error {
	if _, err := time.ParseDuration(text); err == nil {
		return fmt.Errorf("hang: it never ends; {respond: {after: %s}} is an answer after that time", text)
	}
	return s.CutSpec.Scalar(text)
}

// Fault returns the hang; the error names the field that is wrong.
func (s *HangSpec) Fault() (Fault, error) { return s.cut("hang", Stall) }
