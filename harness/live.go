package harness

import (
	"context"
	"fmt"
	"time"

	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/live"
	"github.com/nolive/nolive/harness/plan"
	"github.com/nolive/nolive/proxy/nginx"
	"github.com/nolive/nolive/proxy/reference"
)

// live runs a plan on real sockets. A speed that was asked for is kept and the
// run may be invalid; otherwise an invalid run is repeated, as a rule slower.
func (r Runner) live(ctx context.Context, p *plan.Plan, res *Result) error {
	w := r.watch(p.Scenario, res)
	o := live.Options{Plan: p, Speed: r.Speed, Sink: w, Progress: r.Progress, Start: r.reference}
	lines := &lines{to: w, missing: map[event.Request]int{}}
	var real *nginx.Process
	if res.Engine == Nginx {
		found, err := nginx.Look(ctx, r.options())
		if err != nil && ctx.Err() == nil {
			return err // before the backends take their ports
		}
		o.Backends, o.Sockets, o.Sink = found.Backends, found.Folder, lines
		o.Start = func(ctx context.Context, s live.Setup) (_ live.Proxy, err error) {
			if real, err = r.nginx(ctx, s); err != nil {
				return nil, err
			}
			res.Addresses = real.Addresses()
			return real, nil
		}
	}
	o.Prove = func(events []event.Event, out *live.Outcome) string {
		clock := time.Duration(0)
		if real != nil {
			clock = real.ClockError()
		}
		return undecided(Judge(p.Scenario, events, out.End, p.Scenario.Expect), timingOf(p.Scenario, out, clock+drift(p, events)))
	}
	out, err := r.try(ctx, o, res)
	if err != nil {
		return err
	}
	if real != nil {
		res.Version, res.ClockError, res.Alerts = "nginx/"+real.Version(), real.ClockError(), real.Alerts()
		if s, ok := r.NginxHost.(fmt.Stringer); ok {
			res.Image = s.String()
		}
	}
	res.End, res.Speed, res.Invalid = out.End, out.Speed, out.Invalid
	res.Send, res.Wait, res.Stall = out.Send, out.Wait, out.Stall
	if res.Invalid == "" {
		res.Invalid = lines.gap()
	}
	w.close(out.End)
	return nil
}

func (r Runner) try(ctx context.Context, o live.Options, res *Result) (*live.Outcome, error) {
	if r.Speed > 0 {
		return live.Run(ctx, o)
	}
	return live.RunAuto(ctx, o, func(a live.Abandoned) {
		res.Abandoned = append(res.Abandoned, fmt.Sprintf("at speed %g %s", a.Speed, a.Reason))
		if r.Abandoned != nil {
			r.Abandoned(a.Reason, a.Next)
		}
	})
}

func (r Runner) reference(_ context.Context, s live.Setup) (live.Proxy, error) {
	p, err := reference.Start(reference.Options{
		Config: s.Config, Backends: s.Backends, Clock: s.Clock, Sink: s.Sink, Seed: s.Seed,
	})
	if err != nil {
		return nil, err
	}
	return settled{p}, nil
}

// settled is the reference proxy, which at the end of a run sees first that the clients
// have left, as a real nginx is given the time to.
type settled struct{ *reference.Proxy }

var _, _ live.Finisher = settled{}, (*nginx.Process)(nil)

// Close ends it. One that passes on what nobody waits for is ended in the middle.
func (s settled) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
	defer cancel()
	s.Settle(ctx)
	return s.Proxy.Close()
}

func (r Runner) nginx(ctx context.Context, s live.Setup) (*nginx.Process, error) {
	o := r.options()
	o.Config, o.Backends, o.Unannounced, o.Clock, o.Sink, o.CA, o.Files = s.Config, s.Backends, s.Unannounced, s.Clock, s.Sink, s.CA, s.Files
	return nginx.Start(ctx, o)
}

// options say which nginx to run.
func (r Runner) options() nginx.Options {
	return nginx.Options{Host: r.NginxHost, Binary: r.NginxBinary, Dir: r.NginxDir}
}
