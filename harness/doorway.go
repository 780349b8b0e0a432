package harness

import (
	"slices"
	"time"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/scenario"
)

// doorway is what was seen of a backend as a whole: when it was shut, in whatever way,
// and whether anybody came.
type doorway struct {
	now      shut // Fault is "" while it is open
	underWay int  // attempts
	passed   bool // an attempt passed, so a connection may have been kept
	was      []shut
}

// shut is a stretch in which a fault of the backend as a whole held.
type shut struct {
	fault    string
	from, to time.Duration
	// came is true when an attempt fell into it, kept when there may have been an idle
	// connection for it to end.
	came, kept bool
}

// note takes in an event of the backend.
func (w *doorway) note(e event.Event) {
	switch e.Kind {
	case event.AttemptStarted:
		w.underWay++
		w.now.came = true
	case event.AttemptEnded:
		w.underWay--
		w.passed = w.passed || e.Outcome == event.Passed
	case event.FaultOn:
		w.close(e.At)
		w.now = shut{fault: e.Detail, from: e.At, kept: w.passed}
		// To a host that is gone what is connected stays connected.
		w.now.came = w.underWay > 0 && e.Detail != fault.Blackholed.String()
	case event.FaultOff:
		w.close(e.At)
	}
}

// close ends the present stretch.
func (w *doorway) close(at time.Duration) {
	if w.now.fault != "" {
		w.now.to = at
		w.was = append(w.was, w.now)
	}
	w.now = shut{}
}

// met says whether the fault of a rule had to do with anybody. Idle says whether the
// proxy keeps connections to the backend, which a closed port ends.
func (w *doorway) met(r *fault.Rule, idle bool) bool {
	idle = idle && (r.Do.Door == fault.Refusing || r.Do.Door == fault.Stopping)
	return slices.ContainsFunc(w.was, func(s shut) bool {
		return s.fault == r.Do.Name() && s.to >= r.When.From && (r.When.Until == 0 || s.from < r.When.Until) && (s.came || idle && s.kept)
	})
}

// keepsIdle says whether the proxy keeps idle connections to a backend.
func keepsIdle(s *scenario.Scenario, backend string) bool {
	for _, u := range s.Nginx.Upstreams {
		for i := range u.Servers {
			if u.Servers[i].Name == backend && u.Keepalive.Connections > 0 {
				return true
			}
		}
	}
	return false
}
