package live

import (
	"context"
	"time"
)

// watch looks after a run until done is closed: it reports progress, and gives
// the run up when the proxy died, when nothing goes on any more, or, with
// early, when it is already later than the scenario tolerates.
func (t *try) watch(ctx context.Context, done <-chan struct{}, died <-chan struct{}) {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	end := t.end()
	for {
		select {
		case <-done:
			return
		case <-ctx.Done():
			return
		case <-died:
			t.cancel(&invalid{reason: "the proxy died during the run"})
			return
		case <-tick.C:
		}
		now := t.clock.Now()
		if t.o.Progress != nil {
			t.o.Progress(max(now, 0), end)
		}
		if what := t.flight.stuck(now, t.patience); what != "" {
			t.cancel(&invalid{reason: what})
		}
		if t.early {
			if late := tooLate(t.clock, t.o.Plan.Scenario.Jitter); late != nil {
				t.cancel(late)
			}
		}
	}
}

// end is the latest instant at which a request may be sent, 0 if unknown.
func (t *try) end() time.Duration {
	var end time.Duration
	for i := range t.o.Plan.Traffic {
		tr := &t.o.Plan.Traffic[i]
		if !tr.Open() && tr.Spec.Load.For == 0 {
			return 0
		}
		end = max(end, tr.End())
	}
	return end
}
