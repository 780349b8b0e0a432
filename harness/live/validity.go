package live

import (
	"fmt"
	"time"

	"github.com/nolive/nolive/harness/clock"
)

// invalid is why a run proves nothing.
type invalid struct {
	reason string
	// again is true when another run, slower if that can be, may be valid.
	again bool
}

func (i *invalid) Error() string { return i.reason }

// tooLate says whether sends or waits were later than tolerated; nil when they
// weren't.
func tooLate(c *clock.Clock, tolerated time.Duration) *invalid {
	worst, what := c.Lateness().Max(clock.Send), "sends"
	if w := c.Lateness().Max(clock.Wait); w > worst {
		worst, what = w, "waits"
	}
	if worst <= tolerated {
		return nil
	}
	advice := "run slower"
	if c.Speed() <= 1 {
		advice = "the machine is too busy"
	}
	return &invalid{
		reason: fmt.Sprintf("%s were up to %v late, the scenario tolerates %v: %s", what, short(worst), short(tolerated), advice),
		again:  true,
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
