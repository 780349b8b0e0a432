package cli

import (
	"slices"
	"testing"

	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/scenario"
	"github.com/nolive/nolive/scenarios"
)

// The simulator's go first, then the longest, and crowds wait for all others where
// there are more of them than processors.
func TestOrder(t *testing.T) {
	var jobs []job
	for _, name := range []string{"frozen-backend-curl-loop", "slow-report"} {
		src, _ := scenarios.Source(name)
		f, problems := scenario.Parse(name+".yaml", src, scenarios.FS)
		if err := problems.Err(); err != nil {
			t.Fatal(err)
		}
		for _, e := range []harness.Engine{harness.Reference, harness.Sim, harness.Nginx} {
			jobs = append(jobs, job{file: f, scenario: f.Scenarios[0], column: column{engine: e}})
		}
	}
	for processors, want := range map[int][]turn{
		2: {{1, simulated}, {4, simulated}, {3, onSockets}, {5, onSockets}, {0, onSockets}, {2, onSockets}},
		1: {{1, simulated}, {4, simulated}, {0, onSockets}, {2, onSockets}, {3, afterAll}, {5, afterAll}},
	} {
		if got := order(jobs, processors); !slices.Equal(got, want) {
			t.Errorf("%d processors: %v, want %v", processors, got, want)
		}
	}
}
