package agree

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/agree/cases"
	"github.com/nolive/nolive/harness/scenario"
	"github.com/nolive/nolive/proxy/upstream"
)

// Margin is how late a send or a wait may be, in scenario time, without changing
// what happens in a drawn case.
const Margin = 25 * time.Millisecond

// jolts is how many times a drawn case is simulated with its instants moved.
const jolts = 12

// redraws is how often a seed is drawn again at most.
const redraws = 200

// Draw draws the case of a seed: a small one that the simulator can run and in
// which nothing lies on an edge. It depends on the seed alone, and on the version of
// nginx whose rules hold; the zero value is the newest stable one.
func Draw(seed uint64, v upstream.Version) (*Case, error) {
	for k := range redraws {
		c, err := parsed(cases.Draw(seed, k), v)
		switch {
		case err != nil && senseless(err):
			continue
		case err != nil:
			return nil, fmt.Errorf("seed %d: %w", seed, err)
		}
		if c.steady() {
			return c, nil
		}
	}
	return nil, fmt.Errorf("seed %d: %d draws and each lies on an edge", seed, redraws)
}

// senseless says whether it is chance that drew something which no scenario may have:
// a rule that takes all of another's, a window that opens when everybody has left, or
// a word that an older nginx doesn't know.
func senseless(err error) bool {
	return slices.ContainsFunc([]string{"never reached", "all traffic is over by then", "it came with nginx"},
		func(text string) bool { return strings.Contains(err.Error(), text) })
}

// DrawAll draws the cases of n seeds, on every core.
func DrawAll(from uint64, n int, v upstream.Version) ([]*Case, error) {
	out, errs := make([]*Case, n), make([]error, n)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				out[i], errs[i] = Draw(from+uint64(i), v)
			}
		})
	}
	wg.Wait()
	return out, errors.Join(errs...)
}

// Case is a case that can be run. Text is nil for one that was kept in a file.
type Case struct {
	*scenario.Scenario
	Text *cases.Case
	// File is where the scenario is from, or the drawn text read as one.
	File *scenario.File
	// Version is the nginx whose rules hold.
	Version upstream.Version
	// Sim is what the simulator makes of it.
	Sim *harness.Result
}

// parsed reads a drawn case and simulates it.
func parsed(text *cases.Case, v upstream.Version) (*Case, error) {
	f, problems := scenario.Parse(text.Name+".yaml", []byte(text.Text()), nil)
	if err := problems.Err(); err != nil {
		return nil, fmt.Errorf("%w in\n%s", err, text.Text())
	}
	return simulated(&Case{Scenario: f.Scenarios[0], Text: text, File: f, Version: v})
}

func simulated(c *Case) (*Case, error) {
	var err error
	if c.Version != (upstream.Version{}) {
		if c.Scenario, err = c.Scenario.As(c.Version); err != nil {
			return nil, err
		}
	}
	c.Sim, err = c.run(c.Scenario)
	return c, err
}

// run simulates a scenario by the rules of the case's version.
func (c *Case) run(s *scenario.Scenario) (*harness.Result, error) {
	return harness.Runner{Version: c.Version}.Run(context.Background(), s, harness.Sim)
}

// steady says whether the case is short, and goes the same way when its instants
// are moved by up to the margin.
func (c *Case) steady() bool { return c.Sim.End <= cases.Length && c.offEdges() }

// offEdges says whether it goes the same way when its instants are moved so.
func (c *Case) offEdges() bool {
	for k := range jolts {
		r, err := c.run(jolted(c.Scenario, k))
		if err != nil || len(harness.Compare(c.Sim, r)) > 0 {
			return false
		}
	}
	return true
}

// jolted is a scenario in which every instant and every wait is moved, each by
// its own draw within the margin; waits only get longer.
func jolted(s *scenario.Scenario, k int) *scenario.Scenario {
	out := *s
	n := 0
	either := func(d time.Duration) time.Duration {
		n++
		by := time.Duration((2*fault.Draw(uint64(k), "jolt", fmt.Sprint(n)) - 1) * float64(Margin))
		if k < 4 { // the ends of the margin are where most edges show
			by = []time.Duration{Margin, -Margin}[(k>>(n%2)+n)%2]
		}
		return max(d+by, 0)
	}
	later := func(d time.Duration) time.Duration {
		n++
		return d + time.Duration(fault.Draw(uint64(k), "jolt", fmt.Sprint(n))*float64(Margin))
	}
	out.Traffic = slices.Clone(s.Traffic)
	for i := range out.Traffic {
		l := &out.Traffic[i].Load
		l.At = slices.Clone(l.At)
		for j := range l.At {
			l.At[j] = either(l.At[j])
		}
		slices.Sort(l.At)
		start := either(l.Start.Lo)
		l.Start = scenario.Interval{Lo: start, Hi: start}
		pause := later(l.Pause.Lo)
		l.Pause = scenario.Interval{Lo: pause, Hi: pause}
	}
	out.Backends = slices.Clone(s.Backends)
	for i := range out.Backends {
		rules := slices.Clone(out.Backends[i].Rules)
		for j := range rules {
			r := &rules[j]
			if r.When.From > 0 {
				r.When.From = either(r.When.From)
			}
			if r.When.Until > 0 {
				r.When.Until = either(r.When.Until)
			}
			if r.Do.AcceptAfter > 0 {
				r.Do.AcceptAfter = later(r.Do.AcceptAfter)
			}
			r.Do.Script.Steps = laterSteps(r.Do.Script.Steps, later)
		}
		// A backend without rules answers well, but not in no time.
		well := fault.Respond(fault.RespondSpec{})
		well.Steps = laterSteps(well.Steps, later)
		out.Backends[i].Rules = append(rules, fault.Rule{Do: fault.Fault{Script: well}})
	}
	return &out
}

// laterSteps are steps whose waits take longer, and of which the first after the
// request was read takes some time at all.
func laterSteps(steps []fault.Step, later func(time.Duration) time.Duration) []fault.Step {
	var out []fault.Step
	for _, st := range steps {
		if st.Op == fault.Wait {
			st.For = later(st.For)
		}
		out = append(out, st)
		if st.Op == fault.ReadAll || st.Op == fault.ReadHead {
			out = append(out, fault.Step{Op: fault.Wait, For: later(0)})
		}
	}
	return out
}
