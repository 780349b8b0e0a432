package live

import (
	"context"
	"fmt"
	"time"

	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/scenario"
)

// watch looks after a run until done is closed: it reports progress, and gives
// the run up when the proxy is gone, when nothing goes on any more, or, with
// early, when it is already later than the scenario tolerates.
func (t *try) watch(ctx context.Context, l *load, done <-chan struct{}) {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	end := t.o.Plan.End()
	for {
		select {
		case <-done:
			return
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := t.clock.Now()
		if t.o.Progress != nil {
			t.o.Progress(max(now, 0), end)
		}
		if t.flight.takeRefused() {
			if gone := gone(ctx, l); gone != nil {
				t.cancel(gone)
			}
		}
		if what := t.flight.stuck(now, t.patience); what != "" {
			t.cancel(&invalid{reason: what})
		}
		if full := untracked(number(conntrackCount), number(conntrackMax), t.clock.Speed()); full != nil {
			t.cancel(full)
		}
		if t.early {
			if late := tooLate(t.clock, t.o.Plan.Scenario.Tolerance()); late != nil {
				t.cancel(late)
			}
		}
	}
}

// gone says whether the proxy is no longer there although nobody closed it. It
// is asked only after a client was refused or cut off: a proxy that nobody
// missed was there for all that counts.
func gone(ctx context.Context, l *load) *invalid {
	for _, c := range l.clients {
		if c.sessions != nil {
			continue // to a stream server a connect is a session, with a pick
		}
		conn, out := c.dial(ctx, scenario.Address{}, time.Now().Add(time.Second))
		if conn != nil {
			_ = conn.Close()
		}
		if out == event.ClientRefused {
			return &invalid{reason: fmt.Sprintf("the proxy died during the run: nobody listens on %s any more", c.address)}
		}
	}
	return nil
}
