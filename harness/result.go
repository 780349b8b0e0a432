package harness

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nolive/nolive/harness/analysis"
	"github.com/nolive/nolive/harness/check"
	"github.com/nolive/nolive/harness/clock"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/scenario"
	"github.com/nolive/nolive/proxy/upstream"
)

// Result is one scenario on one engine.
type Result struct {
	Scenario *scenario.Scenario
	Engine   Engine
	// Version is the proxy's own, such as "nginx/1.22.1"; "" where there is none.
	Version string
	// Model is the nginx that the model behaves as: what the simulator and the
	// reference proxy are, and what a replay expects.
	Model upstream.Version
	// Image is the container image that the real nginx ran in, "" for none.
	Image string
	// Speed is scenario seconds per real second; 0 for the simulator, whose time is virtual.
	Speed float64
	Seed  uint64
	// End is the scenario time at which everybody had an answer, Wall the real
	// time that the run took.
	End, Wall time.Duration
	// Send and Wait are how late sends and waits were, in scenario time, and Stall
	// how late a beat every 2 ms of real time was, which tells how long the machine
	// stood still when nothing else was due.
	// ClockError is how far the proxy's clock may be from ours, likewise.
	Send, Wait, Stall clock.Jitter
	ClockError        time.Duration
	// Addresses are what the real nginx had in the place of the backends' names,
	// by name; nil for the other engines, which hash the names.
	Addresses map[string]string
	// Invalid says why the run proves nothing; "" for a valid run.
	Invalid string
	// Alerts are the lines of level alert and emerg that the proxy wrote, and those
	// that it is out of worker_connections, whole.
	Alerts []string
	// Abandoned says why earlier tries, most of them faster, were given up.
	Abandoned []string
	// Unapplied are the rules of backends that decided nothing in a valid run.
	Unapplied []Unapplied
	// Verdicts are those of the scenario's expectations, in order.
	Verdicts []check.Verdict
	Summary  *analysis.Summary
	Lanes    *analysis.Lanes
	// Events holds the whole run in order of time, if it was asked for.
	Events []event.Event
}

// Valid says whether the run proves anything.
func (r *Result) Valid() bool { return r.Invalid == "" }

// OK says whether the run is valid and every expectation held.
func (r *Result) OK() bool {
	for _, v := range r.Verdicts {
		if !v.OK {
			return false
		}
	}
	return r.Valid()
}

// Unproven says why no check can be judged on this run, "" when one can: it is
// invalid, or its events weren't kept.
func (r *Result) Unproven() string {
	switch {
	case !r.Valid():
		return "the run is invalid: " + r.Invalid
	case r.Events == nil:
		return "the run's events were not kept"
	}
	return ""
}

// Unknown says what a check names that the scenario hasn't, "" for nothing: a
// backend with a typing error is never marked.
func (r *Result) Unknown(c check.Check) string {
	d, ok := c.(check.Definition)
	if !ok {
		return ""
	}
	refs := d.Refs()
	var traffic []string
	for _, t := range r.Scenario.Traffic {
		traffic = append(traffic, t.Name)
	}
	if refs.Traffic != "" && !slices.Contains(traffic, refs.Traffic) {
		return fmt.Sprintf("the scenario has no traffic %q; it has %s", refs.Traffic, strings.Join(traffic, ", "))
	}
	for _, b := range refs.Backends {
		if b != check.Every && !slices.Contains(r.Scenario.Nginx.Backends, b) {
			return fmt.Sprintf("the configuration has no backend %q; it has %s", b, strings.Join(r.Scenario.Nginx.Backends, ", "))
		}
	}
	return ""
}

// Judge gives the verdict of another check on the same run. It is never OK on a
// run that is Unproven, or of something Unknown, and says so.
func (r *Result) Judge(c check.Check) check.Verdict {
	if why := cmp.Or(r.Unproven(), r.Unknown(c)); why != "" {
		return check.Verdict{Check: c.String(), Kind: c.Kind(), Got: why}
	}
	return Judge(r.Scenario, r.Events, r.End, []check.Check{c})[0]
}

// Judge gives the verdicts of checks on a stored run.
func Judge(s *scenario.Scenario, events []event.Event, end time.Duration, checks []check.Check) []check.Verdict {
	j := newJury(s, checks)
	for _, e := range events {
		j.Emit(e)
	}
	return j.verdicts(end)
}
