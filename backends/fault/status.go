package fault

import (
	"fmt"
	"strconv"
)

// StatusSpec is `status: 503`, or `status: {code, headers, body, after}`: an
// answer of which only the status matters.
type StatusSpec struct {
	// Code is the status code, 200 to 599.
	Code int `yaml:"code"`
	// Headers to add, in this order.
	Headers []Header `yaml:"headers"`
	// Body as literal text; default is the status in words.
	Body string `yaml:"body"`
	// After is how long the backend works before it answers, from the end of the
	// request; also one that is drawn, as behind wait.
	After Latency `yaml:"after"`
}

// Scalar takes the short form: the code alone.
func (s *StatusSpec) Scalar(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil {
		return fmt.Errorf("status: %q is not in 200..599", text)
	}
	s.Code = n
	return nil
}

// Fault returns the answer; the error names the field that is wrong.
func (s *StatusSpec) Fault() (Fault, error) {
	if s.Code == 0 {
		return Fault{}, fmt.Errorf("code: missing, as in {status: 503}")
	}
	r := RespondSpec{Status: s.Code, Headers: s.Headers, Body: s.Body, After: s.After}
	return r.fault("status")
}
