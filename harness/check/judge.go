package check

import (
	"fmt"
	"time"

	"github.com/nolive/nolive/harness/analysis"
	"github.com/nolive/nolive/harness/event"
)

// scope says which requests a judge looks at, and counts them. Its methods
// besides take are what a judge ignores until it says otherwise.
type scope struct {
	of     string // "" is all traffic
	during Window
	all    int // requests of the traffic
	in     int // of them, sent in the window
}

// take counts a request and says whether it was sent in the window.
func (s *scope) take(x *analysis.Exchange) bool {
	if s.of != "" && x.Request.Traffic != s.of {
		return false
	}
	s.all++
	if !s.during.Has(x.Sent) {
		return false
	}
	s.in++
	return true
}

func (*scope) Mark(analysis.Mark)       {}
func (*scope) Stretch(analysis.Stretch) {}
func (*scope) Log(event.Event)          {}

// nothing says why there was nothing to judge, "" when there was something. A
// check that looked at no request is never OK: it would hold for a run in which
// the proxy didn't even start.
func (s *scope) nothing() string {
	switch {
	case s.all > 0:
		return ""
	case s.of == "":
		return "no request was seen"
	}
	return fmt.Sprintf("no request of %s was seen", s.of)
}

// nothingSent is nothing for a check on requests, whose window has to have one.
func (s *scope) nothingSent() string {
	if s.in == 0 && s.all > 0 {
		return fmt.Sprintf("no request of %s was sent during %s, of %d", s.of, s.during, s.all)
	}
	return s.nothing()
}

// finding is a verdict in the making.
type finding struct {
	want, got string
	ok        bool
	proof     []event.Event
	missed    time.Duration // as in Verdict
}

// verdict ends a judge's work; nothing, if not "", is why it can't be OK.
func verdict(c Check, nothing string, f finding) Verdict {
	v := Verdict{Check: c.String(), Kind: c.Kind(), Want: f.want, Got: f.got, OK: f.ok}
	switch {
	case nothing != "":
		v.Got, v.OK = nothing, false
	case !f.ok:
		v.Evidence, v.Missed = inOrder(f.proof), f.missed
	}
	return v
}
