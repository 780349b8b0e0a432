package harness

import (
	"time"

	"github.com/nolive/nolive/harness/analysis"
	"github.com/nolive/nolive/harness/check"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/scenario"
)

// jury judges a stream of events by a list of checks, in constant memory.
type jury struct {
	analysis *analysis.Analysis
	judges   []check.Judge
	backends []string
}

func newJury(s *scenario.Scenario, checks []check.Check, more ...analysis.Observer) *jury {
	j := &jury{backends: s.Nginx.Backends}
	observers := more
	for _, c := range checks {
		judge := c.Start()
		j.judges = append(j.judges, judge)
		observers = append(observers, judge)
	}
	j.analysis = analysis.New(observers...)
	for _, u := range s.Nginx.Upstreams {
		if !u.Zone {
			j.analysis.CountApart(u.Name, s.Nginx.WorkerProcesses)
		}
	}
	return j
}

// Emit takes in one event.
func (j *jury) Emit(e event.Event) { j.analysis.Emit(e) }

// verdicts ends the run.
func (j *jury) verdicts(end time.Duration) []check.Verdict {
	j.analysis.Close(end)
	run := check.Run{End: end, Backends: j.backends}
	out := make([]check.Verdict, len(j.judges))
	for i, judge := range j.judges {
		out[i] = judge.Verdict(run)
	}
	return out
}
