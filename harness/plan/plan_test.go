package plan_test

import (
	"testing"
	"time"

	"github.com/nolive/nolive/harness/plan"
	"github.com/nolive/nolive/harness/scenario"
)

// The end of a plan is known when time bounds all of its load.
func TestEndIsWhereAllOfTheLoadEnds(t *testing.T) {
	at := scenario.Load{At: []time.Duration{3 * time.Second, time.Second}}
	open := scenario.Load{Rate: 5, For: 10 * time.Second, Start: scenario.Interval{Lo: time.Second, Hi: time.Second}}
	timed := scenario.Load{Users: 2, For: 20 * time.Second, Start: scenario.Interval{Hi: 5 * time.Second}}
	counted := scenario.Load{Users: 1, Times: 100}
	for _, c := range []struct {
		name  string
		loads []scenario.Load
		want  time.Duration
	}{
		{"instants", []scenario.Load{at}, 3 * time.Second},
		{"the last of several", []scenario.Load{at, timed, open}, 25 * time.Second},
		{"a count", []scenario.Load{counted}, 0},
		{"a count beside others", []scenario.Load{timed, counted, at}, 0},
	} {
		s := &scenario.Scenario{}
		for _, l := range c.loads {
			s.Traffic = append(s.Traffic, scenario.Traffic{Load: l})
		}
		if got := plan.New(s, 1).End(); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
