package scenarios_test

import (
	"context"
	"testing"

	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/check"
	"github.com/nolive/nolive/harness/scenario"
	"github.com/nolive/nolive/scenarios"
)

// holds runs a scenario with other expectations on the simulator and returns
// the ones that didn't hold.
func holds(t *testing.T, s scenario.Scenario, expect []check.Check) (failed []string) {
	t.Helper()
	s.Expect = expect
	r, err := harness.Run(context.Background(), &s, harness.Sim)
	if err != nil {
		t.Fatalf("%s: %v", s.Title(), err)
	}
	for _, v := range r.Verdicts {
		if !v.OK {
			failed = append(failed, v.Check+": got "+v.Got)
		}
	}
	return failed
}

// inConfiguration are scenarios, or variants, whose fault isn't that of a backend.
var inConfiguration = map[string]string{
	"close-when-idle/sooner": "nginx closes before the server would, so it doesn't matter what that does",
	"keepalive-one-sided":    "half of what keep-alive needs is missing in the configuration",
}

// A shipped expectation tells one behaviour from another: with healthy backends
// some of them fail, and those of a variant fail on the scenario it differs from,
// and the other way round.
func TestShippedExpectationsCanFail(t *testing.T) {
	for _, name := range scenarios.Names() {
		src, _ := scenarios.Source(name)
		f, ps := scenario.Parse(name+".yaml", src, scenarios.FS)
		if len(ps) > 0 {
			t.Fatal(ps)
		}
		base := f.Scenarios[0]
		for _, s := range f.Scenarios {
			t.Run(s.Title(), func(t *testing.T) {
				if failed := holds(t, *s, s.Expect); len(failed) > 0 {
					t.Errorf("does not hold: %v", failed)
				}
				healthy := *s
				healthy.Backends = nil
				for _, b := range s.Backends {
					healthy.Backends = append(healthy.Backends, scenario.Backend{Name: b.Name})
				}
				if failed := holds(t, healthy, s.Expect); len(failed) == 0 && inConfiguration[name]+inConfiguration[s.Title()] == "" {
					t.Error("holds without the fault, too")
				}
				if s == base {
					return
				}
				if failed := holds(t, *base, s.Expect); len(failed) == 0 {
					t.Error("holds for the base scenario, too")
				}
				if failed := holds(t, *s, base.Expect); len(failed) == 0 {
					t.Error("what the base scenario expects holds, too")
				}
			})
		}
	}
}
