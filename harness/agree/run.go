package agree

import (
	"context"
	"fmt"

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
	whole map[harness.Engine]*harness.Result
}

// run runs cases together on the engines.
func (o *Options) run(ctx context.Context, all []*Case, speed float64) (*batch, error) {
	b := &batch{cases: all, runs: map[harness.Engine][]*harness.Result{}, whole: map[harness.Engine]*harness.Result{}}
	var scenarios []*scenario.Scenario
	for _, c := range all {
		scenarios = append(scenarios, c.Scenario)
	}
	merged, err := Merge(scenarios)
	if err != nil {
		return nil, err
	}
	// One after the other: what an engine needs to get ready would make the other late.
	for _, e := range o.Engines {
		r, err := harness.Runner{Speed: speed, NginxBinary: o.Nginx, Version: all[0].Version}.Run(ctx, merged, e)
		switch {
		case err != nil:
			return nil, fmt.Errorf("on %s: %w", e, err)
		case !r.Valid():
			return nil, fmt.Errorf("on %s: %s", e, r.Invalid)
		}
		b.whole[e], b.runs[e] = r, b.split(r)
	}
	return b, nil
}

// split gives every case its part of a run.
func (b *batch) split(whole *harness.Result) []*harness.Result {
	traffic, backend := map[string]int{}, map[string]int{}
	out := make([]*harness.Result, len(b.cases))
	for i, c := range b.cases {
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
