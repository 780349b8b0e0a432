package fault

import (
	"fmt"
	"slices"
)

// WaitForSpec is `wait_for: {backend, requests}`: a step of a list, a barrier. It
// waits until a backend has read so many requests since the run began.
type WaitForSpec struct {
	// Backend that is waited for; it may be this one.
	Backend string `yaml:"backend"`
	// Requests that it must have read; default 1.
	Requests int `yaml:"requests"`
}

// Fault returns the step; the error names the field that is wrong.
func (s *WaitForSpec) Fault() (Fault, error) {
	n := s.Requests
	if n == 0 {
		n = 1
	}
	switch {
	case s.Backend == "":
		return Fault{}, fmt.Errorf("backend: missing, as in {wait_for: {backend: app2, requests: 2}}")
	case n < 0:
		return Fault{}, fmt.Errorf("requests: %d is less than 1", n)
	}
	return Fault{Script: Script{Name: "wait_for", Steps: []Step{{Op: Await, Barrier: &Barrier{s.Backend, n}}}}}, nil
}

// Barrier is met once the backend has read so many requests in all.
type Barrier struct {
	Backend  string
	Requests int
}

// Split divides the script at its first barrier, which is nil when it has none;
// then after is the script. Nothing is written before a barrier.
func (s *Script) Split() (before, after *Script, b *Barrier) {
	i := slices.IndexFunc(s.Steps, func(st Step) bool { return st.Op == Await })
	if i < 0 {
		return nil, s, nil
	}
	first, rest := *s, *s
	first.Steps, rest.Steps = s.Steps[:i], s.Steps[i+1:]
	first.Response = Response{Announced: 0}
	return &first, &rest, s.Steps[i].Barrier
}
