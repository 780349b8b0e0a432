package analysis

import (
	"slices"

	"github.com/nolive/nolive/harness/event"
)

// Mismatch is a request on whose attempts on one backend the proxy and the
// backend disagree: the backend read it more often than the proxy says it was
// tried there, or less often than the proxy says it answered there. It is a
// finding about the proxy or about the way it is observed, not about the scenario.
type Mismatch struct {
	Request event.Request `json:"-"`
	Backend string        `json:"backend"`
	// Attempts and Answered are the proxy's side: attempts, and those of them
	// in which a response header came. Got is the backend's side.
	Attempts int `json:"attempts"`
	Answered int `json:"answered"`
	Got      int `json:"got"`
}

// MaxMismatches is how many mismatches are kept; more are only counted.
const MaxMismatches = 12

type mismatches struct {
	n     int
	first []Mismatch
}

// Mismatches returns how many there were, and the first dozen.
func (s *Summary) Mismatches() (n int, first []Mismatch) { return s.mismatch.n, s.mismatch.first }

// compare counts both sides of an exchange. Between answered and attempts
// everything is possible: a request may or may not have been read when its
// attempt was refused, timed out or reset.
func (m *mismatches) compare(x *Exchange) {
	if len(x.Attempts) == 1 && len(x.Got) == 1 && x.Attempts[0].Peer == x.Got[0] {
		return
	}
	for i := range x.Attempts {
		if name := x.Attempts[i].Peer; !triedBefore(x.Attempts[:i], name) {
			m.compareOn(x, name)
		}
	}
	for i, name := range x.Got {
		if !triedBefore(x.Attempts, name) && !slices.Contains(x.Got[:i], name) {
			m.compareOn(x, name) // an attempt that the proxy doesn't admit
		}
	}
}

func (m *mismatches) compareOn(x *Exchange, name string) {
	c := Mismatch{Request: x.Request, Backend: name}
	for i := range x.Attempts {
		if a := &x.Attempts[i]; a.Peer == name {
			c.Attempts++
			if a.Outcome == event.Passed || a.Outcome == event.Truncated || a.Outcome == event.Listed {
				c.Answered++
			}
		}
	}
	for _, got := range x.Got {
		if got == name {
			c.Got++
		}
	}
	if c.Got >= c.Answered && c.Got <= c.Attempts {
		return
	}
	m.n++
	if len(m.first) < MaxMismatches {
		m.first = append(m.first, c)
	}
}

func triedBefore(attempts []Attempt, name string) bool {
	for i := range attempts {
		if attempts[i].Peer == name {
			return true
		}
	}
	return false
}
