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
func Length(s *scenario.Scenario) time.Duration { return length(s, plan.New(s, s.Seed)) }

// Crowd says whether a scenario keeps a core busy on sockets, and for long: a hundred
// requests a second of real time for ten seconds or more, as far as its load tells.
// What runs beside it is late.
func Crowd(s *scenario.Scenario) bool {
	p := plan.New(s, s.Seed)
	n := 0
	for i := range p.Traffic {
		n += p.Traffic[i].Count()
	}
	real := length(s, p)
	return real >= 10*time.Second && float64(n) >= 100*real.Seconds()
}

func length(s *scenario.Scenario, p *plan.Plan) time.Duration {
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
