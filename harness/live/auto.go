package live

import (
	"context"
	"time"

	"github.com/nolive/nolive/harness/clock"
)

// Abandoned is a try that was invalid and is repeated.
type Abandoned struct {
	// Speed of the try, and of the next one, which is seldom the same.
	Speed, Next float64
	// Reason is the Outcome.Invalid it ended with.
	Reason string
}

// A machine that was late for a moment may be in time at the same speed at once, so
// that is tried before a slower run, but not for ever, and not for long.
const (
	// sameSpeed is how many tries at one speed there are at most. In real time, where
	// each is as long as the scenario, there are fewer.
	sameSpeed, realTime = 5, 3
	// brief is how long, in real time, a try may have taken for another at its speed.
	brief = time.Minute
)

// RunAuto runs a plan as fast as its scenario bears: the first try at
// FirstSpeed, and after each that was too late, or too much for the harness,
// another one. That is at the same speed when the try was late for a moment only, at
// most four times in a row; else so slow that what was late would have been in time, and
// at half the speed at most, down to 1. A try that can be repeated slower is given up
// as soon as it is known to be invalid; onAbandon, which may be nil, is told. In real
// time there is nothing slower: a try of less than a minute is repeated, twice at most.
// Only the events of the last try reach the sink.
func RunAuto(ctx context.Context, o Options, onAbandon func(Abandoned)) (*Outcome, error) {
	return runAuto(ctx, o, onAbandon, newTry)
}

func runAuto(ctx context.Context, o Options, onAbandon func(Abandoned), newTry func(Options, float64) *try) (*Outcome, error) {
	speed := FirstSpeed(o.Plan.Scenario, o.Speed, Calibrate(ctx))
	for tries := 1; ; tries++ {
		t := newTry(o, speed)
		t.early = speed > 1
		out, err := t.run(ctx)
		if err != nil {
			return nil, err
		}
		next := t.next(out, tries)
		if next == 0 {
			t.deliver()
			return out, nil
		}
		if onAbandon != nil {
			onAbandon(Abandoned{Speed: speed, Next: next, Reason: out.Invalid})
		}
		if next != speed {
			tries = 0
		}
		speed = next
	}
}

// next is the speed of the try after this one, which was the so-manieth at its
// speed; 0 when this was the last.
func (t *try) next(out *Outcome, tries int) float64 {
	speed, tolerated := out.Speed, t.o.Plan.Scenario.Tolerance()
	late := t.clock.Lateness()
	worst := max(late.Max(clock.Send), late.Max(clock.Wait))
	if worst <= tolerated { // it was refused, and only a stall may have been too long
		worst = max(worst, late.Max(clock.Stall))
	}
	brief := out.Wall < brief
	switch {
	case out.Invalid == "" || !t.again:
		return 0
	case speed <= 1 && brief && tries < realTime:
		return 1
	case speed <= 1:
		return 0
	case brief && tries < sameSpeed && worst > tolerated && margin*typical(out) <= tolerated:
		return speed
	}
	return slower(speed, worst, tolerated)
}

// typical is how late half of all was: of the beats, and of sends and waits as far as
// there are enough of them to say.
func typical(out *Outcome) time.Duration {
	const enough = 20
	late := out.Stall.P50
	for _, j := range []clock.Jitter{out.Send, out.Wait} {
		if j.Count >= enough {
			late = max(late, j.P50)
		}
	}
	return late
}

// slower is the speed after a try at which something was that late, in scenario time:
// what is as late in real time is then in time.
func slower(speed float64, late, tolerated time.Duration) float64 {
	next := speed / 2
	if late > 0 {
		next = min(next, speed*float64(tolerated)/float64(late))
	}
	return max(whole(next), 1)
}
