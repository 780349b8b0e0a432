package live

import (
	"time"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/plan"
)

// grace is what Patience allows on top of everything that can be reckoned.
const grace = 10 * time.Minute

// Patience is how long, in scenario time, a run waits for answers once nothing
// else is going on: longer than any proxy that keeps its own time-outs can
// need. That is how long it may have a request (Scenario.Longest); the longest script
// of a backend; and ten minutes.
func Patience(p *plan.Plan) time.Duration {
	return grace + p.Scenario.Longest() + longestScript(p)
}

// longestScript is how long the longest script of a backend takes.
func longestScript(p *plan.Plan) time.Duration {
	longest := time.Duration(0)
	for _, b := range p.Scenario.Backends {
		for i := range b.Rules {
			longest = max(longest, duration(&b.Rules[i].Do.Script))
		}
	}
	return longest
}

// duration is how long a script takes if nothing holds it up.
func duration(s *fault.Script) time.Duration {
	var sum time.Duration
	left := s.Response.Size()
	for _, st := range s.Steps {
		if s.Endless > 0 && st.Op == fault.Write {
			continue // whoever asks ends it
		}
		switch st.Op {
		case fault.Wait:
			sum += st.For
			if st.Delay != nil {
				sum += st.Delay.Most()
			}
		case fault.Write:
			n := left
			if st.Len >= 0 {
				n = min(st.Len, left)
			}
			if st.Chunk > 0 {
				sum += time.Duration(n/st.Chunk) * st.For
			}
			left -= n
		}
	}
	return sum
}
