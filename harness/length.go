package harness

import (
	"cmp"
	"time"

	"github.com/nolive/nolive/harness/live"
	"github.com/nolive/nolive/harness/plan"
	"github.com/nolive/nolive/harness/scenario"
)

// Length is about how long a scenario takes on sockets, in real time, as far as
// its load tells: what waits for answers may take longer. Who runs several at
// once starts the longest first, so that none is left over at the end.
func Length(s *scenario.Scenario) time.Duration {
	p := plan.New(s, s.Seed)
	end := time.Duration(0)
	for i := range p.Traffic {
		t := &p.Traffic[i]
		l := t.Spec.Load
		end = max(end, t.End(), l.Start.Hi+time.Duration(l.Times)*l.Pause.Hi)
	}
	speed := cmp.Or(s.AskSpeed, live.AutoSpeed)
	if s.MaxSpeed > 0 {
		speed = min(speed, s.MaxSpeed)
	}
	return time.Duration(float64(end) / speed)
}
