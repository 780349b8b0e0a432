package check

import (
	"time"

	"github.com/nolive/nolive/harness/analysis"
	"github.com/nolive/nolive/harness/event"
)

// Check is one assertion, as a value.
type Check interface {
	// Kind is the key under `expect:`.
	Kind() string
	// String is the assertion as one would write it in a scenario.
	String() string
	// Start returns a fresh judge for one run.
	Start() Judge
}

// Judge takes in a run and gives the verdict at its end.
type Judge interface {
	analysis.Observer
	// Verdict is called once, after everything was observed; run says what the
	// run looked like as a whole.
	Verdict(run Run) Verdict
}

// Run is what a judge may know of a run beside what it observed.
type Run struct {
	// End is the scenario time at which the run was over.
	End time.Duration
	// Backends are the names of all backends, for "*".
	Backends []string
}

// Verdict is what a check found.
type Verdict struct {
	// Check is the assertion as written, Kind its kind.
	Check, Kind string
	// Want and Got are short texts for people: ">= 1", "4 (at 60.0s, 170.1s, ...)".
	Want, Got string
	OK        bool
	// Evidence are events that prove a failed verdict, at most a dozen, in
	// order of time. Empty when OK.
	Evidence []event.Event
	// Missed is how far a time was from being allowed, when nothing but times failed
	// the verdict: a run whose own timing was off by as much proves nothing. 0 when
	// OK, and when it failed for any other reason.
	Missed time.Duration
}
