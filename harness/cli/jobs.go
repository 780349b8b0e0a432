package cli

import (
	"context"
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/report"
	"github.com/nolive/nolive/harness/scenario"
	"github.com/nolive/nolive/scenarios"
)

// job is one scenario on one engine.
type job struct {
	file     *scenario.File
	scenario *scenario.Scenario
	engine   harness.Engine
}

// done is a finished job.
type done struct {
	report.Entry
	file *scenario.File
}

// load reads scenario files, or the shipped library when none is named. All
// mistakes of all files are reported together.
func load(names []string) ([]*scenario.File, error) {
	if len(names) == 0 {
		for _, s := range scenarios.Names() {
			names = append(names, s)
		}
	}
	var files []*scenario.File
	var wrong []string
	for _, name := range names {
		f, err := open(name)
		if err != nil {
			wrong = append(wrong, err.Error())
			continue
		}
		files = append(files, f)
	}
	if len(wrong) > 0 {
		return nil, badInput{fmt.Errorf("%s", strings.Join(wrong, "\n"))}
	}
	return files, nil
}

// open reads one scenario: a file, or a shipped one by its name.
func open(name string) (*scenario.File, error) {
	if _, err := os.Stat(name); err != nil {
		if src, ok := scenarios.Source(name); ok {
			f, problems := scenario.Parse(name+".yaml", src, scenarios.FS)
			return f, problems.Err()
		}
		if !strings.ContainsAny(name, "./\\") {
			return nil, fmt.Errorf("%s: no such file, and no shipped scenario has that name (see nolive list)", name)
		}
	}
	return harness.Load(name)
}

// jobsOf lists the jobs: scenario by scenario, each on every engine that it
// allows and that was asked for.
func jobsOf(files []*scenario.File, engines []harness.Engine, variants []string) ([]job, error) {
	var jobs []job
	known := map[string]bool{}
	for _, f := range files {
		for _, s := range f.Scenarios {
			v := s.Variant
			if v == "" {
				v = "base"
			}
			known[v] = true
			if len(variants) > 0 && !slices.Contains(variants, v) {
				continue
			}
			for _, e := range engines {
				if slices.Contains(s.Engines, string(e)) {
					jobs = append(jobs, job{f, s, e})
				}
			}
		}
	}
	for _, v := range variants {
		if !known[v] {
			return nil, fmt.Errorf("--variant %s: no scenario given has it", v)
		}
	}
	if len(jobs) == 0 {
		return nil, fmt.Errorf("nothing to run: no scenario given allows these engines")
	}
	return jobs, nil
}

// all runs the jobs, at most parallel at a time, and yields them in order. The
// simulator's go first and one by one: they take milliseconds and a whole core.
func all(ctx context.Context, r harness.Runner, jobs []job, parallel int, p *progress) iter.Seq[done] {
	return func(yield func(done) bool) {
		results := make([]chan done, len(jobs))
		for i := range results {
			results[i] = make(chan done, 1)
		}
		ctx, cancel := context.WithCancel(ctx)
		var wg sync.WaitGroup
		defer wg.Wait()
		defer cancel()
		wg.Go(func() {
			slots := make(chan struct{}, parallel)
			for _, sim := range []bool{true, false} {
				for i, j := range jobs {
					if (j.engine == harness.Sim) != sim {
						continue
					}
					if sim {
						results[i] <- j.run(ctx, r, p)
						continue
					}
					slots <- struct{}{}
					wg.Go(func() {
						results[i] <- j.run(ctx, r, p)
						<-slots
					})
				}
			}
		})
		for _, c := range results {
			if !yield(<-c) {
				return
			}
		}
	}
}

// run runs one job.
func (j job) run(ctx context.Context, r harness.Runner, p *progress) done {
	d := done{file: j.file}
	d.Scenario, d.Variant, d.Engine = j.scenario.Name, j.scenario.Variant, j.engine
	if err := ctx.Err(); err != nil {
		d.Err = fmt.Errorf("not run: interrupted")
		return d
	}
	bar := p.start(j)
	defer bar.done()
	r.Progress = bar.at
	d.Result, d.Err = r.Run(ctx, j.scenario, j.engine)
	return d
}
