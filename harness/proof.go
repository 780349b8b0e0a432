package harness

import (
	"cmp"
	"fmt"
	"time"

	"github.com/nolive/nolive/harness/check"
	"github.com/nolive/nolive/harness/live"
	"github.com/nolive/nolive/harness/scenario"
)

// timing is how far a run's own timing was off, in scenario time.
type timing struct {
	// off is everything at its worst once, and what adds up (drift).
	off time.Duration
	// stall is how long the machine stood still at most, if that is longer than the
	// scenario tolerates; else 0.
	stall time.Duration
}

func timingOf(s *scenario.Scenario, out *live.Outcome, besides time.Duration) timing {
	t := timing{off: out.Send.Max + out.Wait.Max + out.Stall.Max + besides}
	if out.Stall.Max > s.Tolerance() {
		t.stall = out.Stall.Max
	}
	return t
}

// undecided says why verdicts that failed prove nothing, "" when they do. Each of
// them failed by a time that was missed by no more than the run's own timing was
// off, so a run on a quieter machine might have met it; or the machine stood still
// for longer than the scenario tolerates, and what fell into that time can have
// made anything fail.
func undecided(verdicts []check.Verdict, t timing) string {
	why := ""
	for _, v := range verdicts {
		this := ""
		switch {
		case v.OK:
			continue
		case v.Missed > 0 && v.Missed <= t.off:
			this = fmt.Sprintf("%s was missed by %v only, and this run's own timing was off by up to %v", v.Check, round(v.Missed), round(t.off))
		case t.stall > 0:
			this = fmt.Sprintf("%s failed, and the machine stood still for %v meanwhile", v.Check, round(t.stall))
		default:
			return ""
		}
		why = cmp.Or(why, this)
	}
	return why
}

// round leaves what a person reads of a duration.
func round(d time.Duration) time.Duration {
	if d < time.Millisecond {
		return d.Round(time.Microsecond)
	}
	return d.Round(time.Millisecond)
}
