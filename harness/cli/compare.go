package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/report"
	"github.com/nolive/nolive/proxy/nginx/container"
)

// compareCommand is `nolive compare`.
type compareCommand struct {
	Files   []string `arg:"" help:"Scenario files, or names of shipped scenarios."`
	Engines string   `default:"sim,reference,nginx" help:"The engines to compare, separated by commas; the others are held against the first. Each of several --nginx-image is one more."`
	selection
	All bool `help:"Print all differences, not the first few of each pair."`
}

// shownDifferences is how many differences of a pair are printed unless all are
// asked for: the first ones tell why, the rest follow from them.
const shownDifferences = 5

// Run runs every scenario on every engine and prints what differs. A difference
// that the model explains on the instants that occurred is no failure, but one
// between two real nginx always is.
func (c *compareCommand) Run(ctx context.Context, io Streams, raw terminal) error {
	var pool container.Pool
	defer shut(io, &pool)
	run, err := c.take(ctx, c.Files, "--engines", c.Engines, &pool)
	if err != nil {
		return err
	}
	if len(run.columns) < 2 {
		return badInput{fmt.Errorf("--engines: want at least two, or several of --nginx-image, got %q", c.Engines)}
	}
	bars := newProgress(raw, io.Width)
	code := Holds
	var group []report.Entry
	flush := func() {
		if len(group) > 0 {
			code = max(code, c.compare(Streams{Out: colours(bars.out, raw.Writer), Width: io.Width}, group))
		}
		group = nil
	}
	for d := range all(ctx, run.runner, run.jobs, c.Parallel, bars) {
		if len(group) > 0 && (group[0].Scenario != d.Scenario || group[0].Variant != d.Variant) {
			flush()
		}
		group = append(group, d.Entry)
	}
	flush()
	bars.close()
	if code != Holds {
		return status(code)
	}
	return nil
}

// compare holds the runs of one scenario against the first of them.
func (c *compareCommand) compare(io Streams, runs []report.Entry) int {
	title := runs[0].Scenario
	if v := runs[0].Variant; v != "" {
		title += "/" + v
	}
	for _, r := range runs {
		if r.Result == nil {
			report.NoRun(io.Out, r)
			return NoRun
		}
		if !r.Result.Valid() {
			fmt.Fprintf(io.Out, "%s on %s proves nothing: %s\n", title, r.On(), r.Result.Invalid)
			return NoRun
		}
	}
	code := Holds
	for _, r := range runs[1:] {
		differences := harness.Compare(runs[0].Result, r.Result)
		pair := fmt.Sprintf("%s: %s and %s", title, runs[0].On(), r.On())
		if len(differences) == 0 {
			fmt.Fprintf(io.Out, "%s agree\n", pair)
			continue
		}
		fmt.Fprintf(io.Out, "%s differ in %d places\n", pair, len(differences))
		c.show(io, differences)
		if !c.explained(io, r) || !c.explained(io, runs[0]) || upgrade(runs[0], r) {
			code = Failed
		}
	}
	return code
}

// upgrade says whether two runs are of two real nginx. The model may explain
// each on its own instants: that they answer differently is what was asked.
func upgrade(a, b report.Entry) bool { return a.Engine == harness.Nginx && b.Engine == harness.Nginx }

// show prints differences with the events of both sides.
func (c *compareCommand) show(io Streams, differences []harness.Difference) {
	for i, d := range differences {
		if i == shownDifferences && !c.All {
			fmt.Fprintf(io.Out, "  and %d more (--all)\n", len(differences)-i)
			return
		}
		fmt.Fprintf(io.Out, "  %s\n", d)
		for _, e := range d.EventsA {
			fmt.Fprintf(io.Out, "    < %s\n", strings.TrimSpace(report.Event(e)))
		}
		for _, e := range d.EventsB {
			fmt.Fprintf(io.Out, "    > %s\n", strings.TrimSpace(report.Event(e)))
		}
	}
}

// explained says whether the model explains a run on its own instants, which
// the simulator's always are.
func (c *compareCommand) explained(io Streams, r report.Entry) bool {
	if r.Engine == harness.Sim {
		return true
	}
	ok := true
	for _, u := range r.Result.Replay() {
		for _, line := range explained(u) {
			fmt.Fprintf(io.Out, "  on %s's own instants, %s\n", r.On(), strings.TrimSpace(line))
		}
		ok = ok && u.First == nil
	}
	return ok
}
