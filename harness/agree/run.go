package agree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"

	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/scenario"
)

// batch is cases that run together, with what each engine made of each.
type batch struct {
	cases []*Case
	// runs holds for each engine the result of every case, by position.
	runs map[harness.Engine][]*harness.Result
	// whole are the runs as they were, by engine.
	whole map[harness.Engine][]*harness.Result
	// dirs are where nginx's files of every case's run are, by position; "" for nowhere.
	dirs []string
}

// run runs cases together, on all engines at the same time: a case spends nearly
// all of its time waiting.
func (o *Options) run(ctx context.Context, all []*Case, engines []harness.Engine, speed float64) (*batch, error) {
	b := &batch{cases: all, runs: map[harness.Engine][]*harness.Result{}, whole: map[harness.Engine][]*harness.Result{}, dirs: make([]string, len(all))}
	parts := byWorkers(all)
	for _, part := range parts {
		dir, err := o.dir(engines)
		if err != nil {
			return nil, err
		}
		for _, place := range part.places {
			b.dirs[place] = dir
		}
	}
	errs := make([]error, len(engines)*len(parts))
	var wg sync.WaitGroup
	for k, e := range engines {
		whole := make([]*harness.Result, len(parts))
		b.whole[e], b.runs[e] = whole, make([]*harness.Result, len(all))
		for i, part := range parts {
			wg.Go(func() {
				var err error
				if whole[i], err = o.together(ctx, part.cases, e, speed, b.dirs[part.places[0]]); err != nil {
					errs[k*len(parts)+i] = fmt.Errorf("on %s: %w", e, err)
				}
			})
		}
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	for _, e := range engines {
		for i, part := range parts {
			for j, r := range split(part.cases, b.whole[e][i]) {
				b.runs[e][part.places[j]] = r
			}
		}
	}
	return b, nil
}

// dir is a new folder for nginx's files, "" if none are to be kept.
func (o *Options) dir(engines []harness.Engine) (string, error) {
	if o.Dir == "" || !slices.Contains(engines, harness.Nginx) {
		return "", nil
	}
	if err := os.MkdirAll(o.Dir, 0o755); err != nil {
		return "", err
	}
	return os.MkdirTemp(o.Dir, "cases-")
}

// part is the cases of a batch that can stand in one configuration, with their
// places in the batch.
type part struct {
	cases  []*Case
	places []int
}

// byWorkers parts cases by worker_processes.
func byWorkers(all []*Case) []part {
	var out []part
	for place, c := range all {
		i := slices.IndexFunc(out, func(p part) bool { return p.cases[0].Nginx.WorkerProcesses == c.Nginx.WorkerProcesses })
		if i < 0 {
			i = len(out)
			out = append(out, part{})
		}
		out[i].cases, out[i].places = append(out[i].cases, c), append(out[i].places, place)
	}
	return out
}

// together runs cases as one scenario on one engine; dir keeps nginx's files.
func (o *Options) together(ctx context.Context, all []*Case, e harness.Engine, speed float64, dir string) (*harness.Result, error) {
	var scenarios []*scenario.Scenario
	for _, c := range all {
		scenarios = append(scenarios, c.Scenario)
	}
	merged, err := Merge(scenarios)
	if err != nil {
		return nil, err
	}
	r, err := harness.Runner{Speed: speed, NginxBinary: o.Nginx, NginxDir: dir, Version: all[0].Version}.Run(ctx, merged, e)
	if err == nil && !r.Valid() {
		err = errors.New(r.Invalid)
	}
	return r, err
}

// split gives every case its part of a run.
func split(cases []*Case, whole *harness.Result) []*harness.Result {
	traffic, backend := map[string]int{}, map[string]int{}
	out := make([]*harness.Result, len(cases))
	for i, c := range cases {
		r := *whole
		r.Scenario, r.Events, r.Addresses = c.Scenario, nil, nil
		if whole.Addresses != nil {
			r.Addresses = map[string]string{}
			for _, k := range c.Backends {
				r.Addresses[k.Name] = whole.Addresses[k.Name]
			}
		}
		out[i] = &r
		for j := range c.Traffic {
			traffic[c.Traffic[j].Name] = i
		}
		for _, k := range c.Backends {
			backend[k.Name] = i
		}
	}
	for _, e := range whole.Events {
		i, ok := traffic[e.Request.Traffic]
		if e.Request == (event.Request{}) {
			i, ok = backend[e.Peer]
		}
		if ok {
			out[i].Events = append(out[i].Events, e)
			out[i].End = e.At
		}
	}
	return out
}
