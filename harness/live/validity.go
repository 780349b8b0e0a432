package live

import (
	"fmt"
	"time"

	"github.com/nolive/nolive/harness/clock"
)

// defaultJitter is the tolerance of a scenario that gives none.
const defaultJitter = time.Second

// invalid is why a run proves nothing.
type invalid struct {
	reason string
	// slower is true when a slower run may be valid.
	slower bool
}

func (i *invalid) Error() string { return i.reason }

// tooLate says whether sends or waits were later than the scenario tolerates;
// nil when they weren't.
func tooLate(c *clock.Clock, tolerance time.Duration) *invalid {
	if tolerance <= 0 {
		tolerance = defaultJitter
	}
	worst, what := c.Lateness().Max(clock.Send), "sends"
	if w := c.Lateness().Max(clock.Wait); w > worst {
		worst, what = w, "waits"
	}
	if worst <= tolerance {
		return nil
	}
	advice := "run slower"
	if c.Speed() <= 1 {
		advice = "the machine is too busy"
	}
	return &invalid{
		reason: fmt.Sprintf("%s were up to %v late, the scenario tolerates %v: %s", what, short(worst), short(tolerance), advice),
		slower: c.Speed() > 1,
	}
}

// short rounds a duration to what a person reads: three digits or so.
func short(d time.Duration) time.Duration {
	switch {
	case d >= 10*time.Second:
		return d.Round(100 * time.Millisecond)
	case d >= time.Second:
		return d.Round(10 * time.Millisecond)
	case d >= 10*time.Millisecond:
		return d.Round(time.Millisecond)
	}
	return d.Round(10 * time.Microsecond)
}
