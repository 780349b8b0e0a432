package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/report"
	"github.com/nolive/nolive/harness/scenario"
	"github.com/nolive/nolive/proxy/nginx/container"
)

// runCommand is `nolive run`.
type runCommand struct {
	Files  []string `arg:"" optional:"" help:"Scenario files, or names of shipped scenarios. Without any, the whole shipped library."`
	Engine string   `default:"sim,reference" help:"Engines, separated by commas: sim, reference, nginx."`
	JSON   string   `name:"json" placeholder:"FILE" help:"Write the results as JSON; - is standard output, and the report goes to standard error."`
	Events string   `placeholder:"FILE" help:"Write every event as a line of JSON, for replay; - as above."`
	JUnit  string   `name:"junit" placeholder:"FILE" help:"Write the results as JUnit XML; - as above."`
	selection
}

// Run runs the jobs and writes what was asked for.
func (c *runCommand) Run(ctx context.Context, io Streams, raw terminal) error {
	var pool container.Pool
	defer shut(io, &pool)
	run, err := c.take(ctx, c.Files, "--engine", c.Engine, &pool)
	if err != nil {
		return err
	}
	out, err := openOutputs(c.JSON, c.Events, c.JUnit, raw.Writer)
	if err != nil {
		return badInput{err}
	}
	defer out.close()
	if slices.Contains([]string{c.JSON, c.Events, c.JUnit}, stdout) {
		// What a program reads has nothing else in it; a person reads the other one.
		io, raw = Streams{Out: io.Err, Err: io.Err}, terminal{io.Err}
	}
	warn(io, run.files, run.rules)
	warnNamesakes(io, run.files)

	run.runner.Keep = harness.KeepNothing
	if out.events != nil {
		run.runner.Keep = harness.KeepAll
	}
	bars := newProgress(raw, io.Width)
	screen := Streams{Out: colours(bars.out, raw.Writer), Err: io.Err, Width: io.Width}
	var entries []report.Entry
	for done := range all(ctx, run.runner, run.jobs, c.Parallel, bars) {
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
	for _, l := range run.left {
		fmt.Fprintf(io.Out, "not run: %s on %s, its file says engines: [%s]\n", l.scenario.Title(), l.engine, strings.Join(l.scenario.Engines, ", "))
	}
	return verdict(io, entries)
}

// shut removes the containers of a command.
func shut(io Streams, pool *container.Pool) {
	if err := pool.Close(); err != nil {
		fmt.Fprintf(io.Err, "warning: a container may be left: %v\n", err)
	}
}

// warn tells what files say that was probably not meant, and what nginx itself warns
// of, but for what an engine will refuse anyway.
func warn(io Streams, files []*scenario.File, r rules) {
	for _, f := range files {
		read, _ := r.file(f) // what that nginx doesn't take, its run tells
		for _, line := range warned(read) {
			fmt.Fprintln(io.Err, line)
		}
		for _, p := range f.Warnings {
			if !nginxOnly(f, p) {
				fmt.Fprintln(io.Err, p.Warning())
			}
		}
	}
}

// warnNamesakes tells of files whose runs a report can't tell apart by name.
func warnNamesakes(io Streams, files []*scenario.File) {
	seen := map[string]string{}
	for _, f := range files {
		name := f.Scenarios[0].Name
		if other, ok := seen[name]; ok {
			fmt.Fprintf(io.Err, "warning: %s and %s have the same name: %s\n", other, f.Path, name)
			continue
		}
		seen[name] = f.Path
	}
}

// nginxOnly says whether a directive that isn't modelled stands there.
func nginxOnly(f *scenario.File, p scenario.Problem) bool {
	for _, s := range f.Scenarios {
		for _, n := range s.Nginx.NginxOnly {
			if n.Pos == p.Pos {
				return true
			}
		}
	}
	return false
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
		return 0, fmt.Errorf("--speed: want auto or a number from 1 to 1000, got %q", s)
	}
	return v, nil
}
