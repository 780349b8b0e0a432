package cli

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/report"
	"github.com/nolive/nolive/harness/scenario"
)

// job is one scenario on one engine.
type job struct {
	file     *scenario.File
	scenario *scenario.Scenario
	column
	// files is where nginx's files are kept; "" for nowhere.
	files string
}

// done is a finished job.
type done struct {
	report.Entry
	file *scenario.File
}

// skipped is a scenario that leaves out an engine that was asked for.
type skipped struct {
	scenario *scenario.Scenario
	engine   harness.Engine
}

// jobsOf lists the jobs: scenario by scenario, each on every engine that it
// allows and that was asked for; and what that leaves out.
func jobsOf(files []*scenario.File, columns []column, variants []string) (jobs []job, left []skipped, err error) {
	if err := knowVariants(files, variants); err != nil {
		return nil, nil, err
	}
	for _, f := range files {
		for _, s := range f.Scenarios {
			if !wantsVariant(variants, s) {
				continue
			}
			for _, c := range columns {
				if slices.Contains(s.Engines, string(c.engine)) {
					jobs = append(jobs, job{f, s, c, ""})
				} else if l := (skipped{s, c.engine}); !slices.Contains(left, l) {
					left = append(left, l)
				}
			}
		}
	}
	if len(jobs) == 0 {
		var asked []string
		for _, c := range columns {
			if !slices.Contains(asked, string(c.engine)) {
				asked = append(asked, string(c.engine))
			}
		}
		s := left[0].scenario
		return nil, nil, fmt.Errorf("nothing to run: %s runs on %s only, not on %s", s.Title(), enumerate(s.Engines, "and"), enumerate(asked, "or"))
	}
	return jobs, left, nil
}

// base is what --variant calls the scenario without one.
const base = "base"

// wantsVariant says whether a scenario is among the variants asked for; none are all.
func wantsVariant(variants []string, s *scenario.Scenario) bool {
	return len(variants) == 0 || slices.Contains(variants, cmp.Or(s.Variant, base))
}

// knowVariants refuses a variant that no file has.
func knowVariants(files []*scenario.File, variants []string) error {
	var known []string
	for _, f := range files {
		for _, s := range f.Scenarios {
			if v := cmp.Or(s.Variant, base); !slices.Contains(known, v) {
				known = append(known, v)
			}
		}
	}
	for _, v := range variants {
		if !slices.Contains(known, v) {
			return fmt.Errorf("--variant: want %s, got %q", enumerate(known, "or"), v)
		}
	}
	return nil
}

// enumerate is "a, b and c".
func enumerate(words []string, and string) string {
	n := len(words) - 1
	if n < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:n], ", ") + " " + and + " " + words[n]
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
			var before sync.WaitGroup
			for _, t := range order(jobs, runtime.NumCPU()) {
				i, last := t.job, t.stage == afterAll
				if t.stage == simulated {
					results[i] <- jobs[i].run(ctx, r, p)
					continue
				}
				if last {
					before.Wait()
				} else {
					before.Add(1)
				}
				slots <- struct{}{}
				wg.Go(func() {
					results[i] <- jobs[i].run(ctx, r, p)
					<-slots
					if !last {
						before.Done()
					}
				})
			}
		})
		for _, c := range results {
			if !yield(<-c) {
				return
			}
		}
	}
}

// stage is when a job may begin.
type stage int

const (
	simulated stage = iota
	onSockets
	afterAll // when all on sockets have ended
)

// turn is a job, by its number, and its stage.
type turn struct {
	job   int
	stage stage
}

// order is the order in which jobs are begun: in each stage the longest first. Crowds
// go after all when there are more of them than processors: a scenario that counts on
// milliseconds is late beside so many, and beside one for each processor it isn't
// (the curl loop beside slow-report on two engines and two cores: 0.1 s at 30 times
// real speed; beside four crowds 1 s).
func order(jobs []job, processors int) []turn {
	turns := make([]turn, len(jobs))
	length := make([]time.Duration, len(jobs))
	var crowds []int
	for i, j := range jobs {
		turns[i].job = i
		if j.engine == harness.Sim {
			continue
		}
		length[i], turns[i].stage = harness.Length(j.scenario), onSockets
		if harness.Crowd(j.scenario) {
			crowds = append(crowds, i)
		}
	}
	if len(crowds) > processors {
		for _, i := range crowds {
			turns[i].stage = afterAll
		}
	}
	slices.SortStableFunc(turns, func(a, b turn) int {
		return cmp.Or(cmp.Compare(a.stage, b.stage), cmp.Compare(length[b.job], length[a.job]))
	})
	return turns
}

// run runs one job.
func (j job) run(ctx context.Context, r harness.Runner, p *progress) done {
	d := done{file: j.file}
	d.Scenario, d.Variant, d.Path, d.Engine, d.Column = j.scenario.Name, j.scenario.Variant, j.file.Path, j.engine, j.name
	if err := ctx.Err(); err != nil {
		d.Err = report.ErrNotBegun
		return d
	}
	bar := p.start(j)
	defer bar.done()
	r.Progress = bar.at
	r.Abandoned = bar.again
	r.NginxBinary, r.NginxHost, r.NginxDir = j.binary, j.host, j.files
	d.Result, d.Err = r.Run(ctx, j.scenario, j.engine)
	return d
}
