package harness

import (
	"context"
	"fmt"
	"time"

	"github.com/nolive/nolive/harness/analysis"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/live"
	"github.com/nolive/nolive/harness/plan"
	"github.com/nolive/nolive/harness/scenario"
	"github.com/nolive/nolive/harness/sim"
	"github.com/nolive/nolive/proxy/nginx"
	"github.com/nolive/nolive/proxy/upstream"
)

// Runner says how to run scenarios. The zero value is the default.
type Runner struct {
	// Speed is scenario seconds per real second, at least 1; 0 is auto: what the
	// scenario asks for, else as fast as its tolerances bear, 30 at most.
	Speed float64
	// Seed replaces the scenario's own when SeedSet.
	Seed    uint64
	SeedSet bool
	// NginxBinary is the nginx to run; "" is the one on PATH.
	NginxBinary string
	// NginxHost is where the engine nginx runs, such as an image of package
	// container; nil is this machine.
	NginxHost nginx.Host
	// NginxDir keeps the real nginx's configuration and logs, of the last try; it
	// is made if need be. "" keeps nothing.
	NginxDir string
	// Version is the nginx that the model behaves as, whatever the scenario says.
	Version upstream.Version
	// DefaultVersion is the same for scenarios that don't say; the zero value is
	// the newest stable one.
	DefaultVersion upstream.Version
	// Keep says what of the run's events the result keeps.
	Keep Keep
	// Sink gets every event in order of time; nil for none. On real sockets they
	// come when the run is over.
	Sink event.Sink
	// Progress is called now and then from one goroutine with the scenario time
	// reached and the instant after which nothing is sent any more, 0 when only
	// a count bounds the load. May be nil.
	Progress func(now, end time.Duration)
	// Abandoned is called when a try turned out invalid and is repeated, as a rule slower.
	// May be nil.
	Abandoned func(reason string, next float64)
}

// Keep says what of a run's events a Result keeps.
type Keep uint8

const (
	// KeepAll keeps every event, so that more checks can be judged.
	KeepAll Keep = iota
	// KeepNothing keeps memory flat however long the run.
	KeepNothing
)

// Run runs a scenario on an engine with the defaults and keeps its events. The
// error says why the engine could not run at all; a run that proves nothing is
// no error but Result.Invalid.
func Run(ctx context.Context, s *scenario.Scenario, e Engine) (*Result, error) {
	return Runner{}.Run(ctx, s, e)
}

// Run runs a scenario on an engine.
func (r Runner) Run(ctx context.Context, s *scenario.Scenario, e Engine) (*Result, error) {
	s, err := r.as(ctx, s, e)
	if err != nil {
		return nil, err
	}
	if err := Runnable(s, e); err != nil {
		return nil, err
	}
	seed := s.Seed
	if r.SeedSet {
		seed = r.Seed
	}
	res := &Result{Scenario: s, Engine: e, Seed: seed, Model: s.Nginx.Version}
	p := plan.New(s, seed)
	began := time.Now()
	if e == Sim {
		err = r.simulate(ctx, p, res)
	} else {
		err = r.live(ctx, p, res)
	}
	res.Wall = time.Since(began)
	if err != nil {
		return nil, err
	}
	return res, nil
}

// Runnable says why a scenario can't run on an engine, nil when it can.
func Runnable(s *scenario.Scenario, e Engine) error {
	if e != Nginx && len(s.Nginx.NginxOnly) > 0 {
		n := s.Nginx.NginxOnly[0]
		return fmt.Errorf("%v: runs on nginx only, because %s (so run it on the nginx engine)", n.Pos, n.Text)
	}
	return nil
}

// simulate streams the events of a run in virtual time.
func (r Runner) simulate(ctx context.Context, p *plan.Plan, res *Result) error {
	w := r.watch(p.Scenario, res)
	var progress func(time.Duration)
	if r.Progress != nil {
		end := p.End()
		progress = func(now time.Duration) { r.Progress(now, end) }
	}
	end, err := sim.Run(ctx, sim.Options{Plan: p, Sink: w, Progress: progress})
	if err != nil && ctx.Err() == nil {
		return err
	}
	if err != nil {
		res.Invalid = live.Interrupted
	}
	res.End = end
	w.close(end)
	return nil
}

// watcher takes in the events of one run for a result.
type watcher struct {
	*jury
	deeds
	res  *Result
	sink event.Sink
	keep Keep
}

func (r Runner) watch(s *scenario.Scenario, res *Result) *watcher {
	res.Summary = analysis.NewSummary()
	res.Lanes = analysis.NewLanes(s.Nginx.Backends)
	return &watcher{newJury(s, s.Expect, res.Summary, res.Lanes), deeds{}, res, r.Sink, r.Keep}
}

// Emit hands one event on.
func (w *watcher) Emit(e event.Event) {
	w.jury.Emit(e)
	w.note(e)
	if w.keep == KeepAll {
		w.res.Events = append(w.res.Events, e)
	}
	if w.sink != nil {
		w.sink.Emit(e)
	}
}

func (w *watcher) close(end time.Duration) {
	w.res.Verdicts = w.verdicts(end)
	if w.res.Valid() {
		w.res.Unapplied = w.unapplied(w.res.Scenario, end)
	}
}
