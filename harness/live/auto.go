package live

import "context"

// Abandoned is a try that was invalid and is repeated slower.
type Abandoned struct {
	// Speed of the try, and of the next one.
	Speed, Next float64
	// Reason is the Outcome.Invalid it ended with.
	Reason string
}

// RunAuto runs a plan as fast as its scenario bears: the first try at
// FirstSpeed, and after each that was too late, or too much for the harness,
// another at half the speed, down to 1. A try that can be repeated is given up
// as soon as it is known to be invalid; onAbandon, which may be nil, is told.
// Only the events of the last try reach the sink.
func RunAuto(ctx context.Context, o Options, onAbandon func(Abandoned)) (*Outcome, error) {
	return runAuto(ctx, o, onAbandon, newTry)
}

func runAuto(ctx context.Context, o Options, onAbandon func(Abandoned), newTry func(Options, float64) *try) (*Outcome, error) {
	speed := FirstSpeed(o.Plan.Scenario, o.Speed, Calibrate(ctx))
	for {
		t := newTry(o, speed)
		t.early = speed > 1
		out, err := t.run(ctx)
		if err != nil {
			return nil, err
		}
		if out.Invalid == "" || !t.slower || speed <= 1 {
			t.deliver()
			return out, nil
		}
		next := nextSpeed(speed)
		if onAbandon != nil {
			onAbandon(Abandoned{Speed: speed, Next: next, Reason: out.Invalid})
		}
		speed = next
	}
}
