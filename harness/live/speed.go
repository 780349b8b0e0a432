package live

import (
	"context"
	"math"
	"time"

	"github.com/nolive/nolive/harness/scenario"
)

// AutoSpeed is the fastest that a speed is chosen for a scenario which asks
// for none. Real nginx has been seen to keep its whole seconds at it.
const AutoSpeed = 30

// margin is how many times worse a whole run is taken to be than the short
// calibration before it.
const margin = 4

// FirstSpeed is the speed of the first try: what the user asked for (0 for
// auto), else what the scenario asks for, else AutoSpeed; never more than the
// scenario bears. Unless the user asked, it is lowered to what the tolerance
// allows when timers are as late as was measured now.
func FirstSpeed(s *scenario.Scenario, asked float64, late time.Duration) float64 {
	speed := asked
	if asked <= 0 {
		speed = AutoSpeed
		if s.AskSpeed > 0 {
			speed = s.AskSpeed
		}
		if late > 0 {
			speed = min(speed, whole(float64(s.Tolerance())/float64(margin*late)))
		}
	}
	if s.MaxSpeed > 0 {
		speed = min(speed, s.MaxSpeed)
	}
	return max(speed, 1)
}

func whole(speed float64) float64 { return math.Floor(speed) }

// Calibrate measures how late timers are at present: the worst of a hundred
// short sleeps, in real time. It takes a fifth of a second.
func Calibrate(ctx context.Context) time.Duration {
	var worst time.Duration
	timer := stoppedTimer()
	for range 100 {
		due := time.Now().Add(2 * time.Millisecond)
		timer.Reset(time.Until(due))
		select {
		case <-timer.C:
			worst = max(worst, time.Since(due))
		case <-ctx.Done():
			timer.Stop()
			return worst
		}
	}
	return worst
}
