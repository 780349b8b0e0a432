package harness

import (
	"fmt"
	"time"

	"github.com/nolive/nolive/harness/check"
)

// undecided says why verdicts that failed prove nothing, "" when they do: all of
// them failed by a time that was missed by no more than the run's own timing was
// off, so a run on a quieter machine might have met it.
func undecided(verdicts []check.Verdict, off time.Duration) string {
	why := ""
	for _, v := range verdicts {
		switch {
		case v.OK:
		case v.Missed == 0 || v.Missed > off:
			return ""
		case why == "":
			why = fmt.Sprintf("%s was missed by %v only, and this run's own timing was off by up to %v", v.Check, round(v.Missed), round(off))
		}
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
