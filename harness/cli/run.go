package cli

import (
	"context"
	"fmt"
	"os"
	"strconv"

	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/report"
)

// runCommand is `nolive run`.
type runCommand struct {
	Files    []string `arg:"" optional:"" help:"Scenario files, or names of shipped scenarios. Without any, the whole shipped library."`
	Engine   string   `default:"sim,reference" help:"Engines, separated by commas: sim, reference, nginx."`
	Speed    string   `default:"auto" help:"Scenario seconds per real second, at least 1; auto is as fast as the scenario bears, 30 at most unless it asks for more."`
	Seed     *uint64  `help:"Replaces the scenario's seed."`
	JSON     string   `name:"json" type:"path" placeholder:"FILE" help:"Write the results as JSON."`
	Events   string   `type:"path" placeholder:"FILE" help:"Write every event as a line of JSON, for replay."`
	JUnit    string   `name:"junit" type:"path" placeholder:"FILE" help:"Write the results as JUnit XML."`
	Nginx    string   `name:"nginx-binary" placeholder:"PATH" help:"The nginx to run; default is the one on PATH."`
	Variant  []string `help:"Only these variants; \"base\" is the scenario without one."`
	Parallel int      `default:"4" help:"How many runs on sockets go on at the same time."`
}

// Run runs the jobs and writes what was asked for.
func (c *runCommand) Run(ctx context.Context, io Streams) error {
	speed, err := parseSpeed(c.Speed)
	if err != nil {
		return badInput{err}
	}
	engines, err := harness.ParseEngines(c.Engine)
	if err != nil {
		return badInput{fmt.Errorf("--engine: %w", err)}
	}
	if c.Parallel < 1 {
		return badInput{fmt.Errorf("--parallel %d: must be at least 1", c.Parallel)}
	}
	files, err := load(c.Files)
	if err != nil {
		return err
	}
	jobs, err := jobsOf(files, engines, c.Variant)
	if err != nil {
		return badInput{err}
	}
	out, err := c.outputs()
	if err != nil {
		return badInput{err}
	}
	defer out.close()

	runner := harness.Runner{Speed: speed, NginxBinary: c.Nginx, Keep: harness.KeepNothing}
	if c.Seed != nil {
		runner.Seed, runner.SeedSet = *c.Seed, true
	}
	if out.events != nil {
		runner.Keep = harness.KeepAll
	}
	bars := newProgress(io)
	screen := Streams{Out: bars.out, Err: io.Err, Width: io.Width}
	var entries []report.Entry
	for done := range all(ctx, runner, jobs, c.Parallel, bars) {
		entries = append(entries, done.Entry)
		if err := out.event(done); err != nil {
			return err
		}
		show(screen, done.Entry)
	}
	bars.close()
	if err := out.finish(entries); err != nil {
		return err
	}
	return verdict(io, entries)
}

// show writes one finished run, or why there is none.
func show(io Streams, e report.Entry) {
	if e.Result != nil {
		report.Text(io.Out, e.Result, io.Width)
		return
	}
	report.NoRun(io.Out, e)
}

// verdict sums up and picks the exit status: an engine that could not run
// weighs more than a failed expectation, because then nothing was shown.
func verdict(io Streams, entries []report.Entry) error {
	report.Total(io.Out, entries)
	code := Holds
	for _, e := range entries {
		switch {
		case e.Result == nil || !e.Result.Valid():
			code = NoRun
		case !e.Result.OK():
			code = max(code, Failed)
		}
	}
	if code == Holds {
		return nil
	}
	return status(code)
}

// parseSpeed reads --speed; 0 is auto.
func parseSpeed(s string) (float64, error) {
	if s == "auto" {
		return 0, nil
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || !(v >= 1) || v > 1000 {
		return 0, fmt.Errorf("--speed %s: must be auto or a number from 1 to 1000", s)
	}
	return v, nil
}

// outputs opens the files to write before anything runs, so that a wrong path
// is known at once.
func (c *runCommand) outputs() (*outputs, error) {
	o := &outputs{}
	for _, f := range []struct {
		path string
		file **os.File
	}{{c.JSON, &o.json}, {c.Events, &o.events}, {c.JUnit, &o.junit}} {
		if f.path == "" {
			continue
		}
		var err error
		if *f.file, err = os.Create(f.path); err != nil {
			o.close()
			return nil, err
		}
	}
	return o, nil
}
