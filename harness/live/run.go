package live

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nolive/nolive/backends"
	"github.com/nolive/nolive/harness/clock"
	"github.com/nolive/nolive/harness/scenario"
)

// Run runs a plan once. The error says that an engine could not run at all; a
// run that proves nothing has an Outcome that is Invalid. When ctx ends,
// everything is stopped, and what was seen so far still reaches the sink.
func Run(ctx context.Context, o Options) (*Outcome, error) {
	t := newTry(o, max(o.Speed, 1))
	out, err := t.run(ctx)
	if err != nil {
		return nil, err
	}
	t.deliver()
	return out, nil
}

// backend is a fake backend that listens.
type backend interface {
	Addr() string
	Close() error
}

// try is one run of a plan at one speed.
type try struct {
	o        Options
	clock    *clock.Clock
	record   recorder
	board    backends.Board
	flight   *flight
	patience time.Duration
	// early gives the run up as soon as it is known to be invalid.
	early bool
	// listen starts a backend.
	listen func(scenario.Backend) (backend, error)

	secure   secure
	cancel   context.CancelCauseFunc
	backends []backend
	proxy    Proxy
	// again is true after an invalid run that timing alone made so.
	again bool
}

func newTry(o Options, speed float64) *try {
	t := &try{o: o, clock: clock.New(speed), flight: newFlight(MaxOutstanding), patience: Patience(o.Plan)}
	t.listen = t.startBackend
	return t
}

// deliver hands the events to the sink.
func (t *try) deliver() {
	if t.o.Sink == nil {
		return
	}
	for _, e := range t.record.ordered() {
		t.o.Sink.Emit(e)
	}
}

// run is one run from the first listener to the last.
func (t *try) run(parent context.Context) (*Outcome, error) {
	ctx, cancel := context.WithCancelCause(parent)
	t.cancel = cancel
	defer cancel(nil)

	l, err := t.start(ctx)
	if err != nil {
		closing := t.close(ctx)
		if parent.Err() != nil {
			return &Outcome{Speed: t.clock.Speed(), Invalid: Interrupted}, nil
		}
		if closing != nil {
			err = fmt.Errorf("%w (and at the end: %v)", err, closing)
		}
		return nil, err
	}
	began := time.Now()
	t.send(ctx, l)
	out := &Outcome{End: max(t.clock.Now(), 0), Speed: t.clock.Speed(), Wall: time.Since(began)}
	var missing *invalid
	if ctx.Err() == nil && t.flight.takeMissed() {
		missing = gone(ctx, l)
	}
	closing := t.close(ctx)
	late := t.clock.Lateness()
	out.Send, out.Wait, out.Stall = late.Jitter(clock.Send), late.Jitter(clock.Wait), late.Jitter(clock.Stall)
	out.Invalid, t.again = t.judge(ctx, missing, closing)
	if out.Invalid == "" && t.o.Prove != nil {
		out.Invalid = t.o.Prove(t.record.ordered(), out)
		t.again = out.Invalid != ""
	}
	return out, nil
}

// start starts everything, each thing before what needs it: backends with their
// faults in force, then the proxy, and the clock once both are there.
func (t *try) start(ctx context.Context) (*load, error) {
	s := t.o.Plan.Scenario
	addresses := make(map[string]string, len(s.Backends))
	unannounced := map[string][]int64{}
	var err error
	if t.secure, err = newSecure(s.Nginx, cmp.Or(t.o.Backends, "127.0.0.1")); err != nil {
		return nil, err
	}
	for _, b := range s.Backends {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		server, err := t.listen(b)
		if err != nil {
			return nil, err
		}
		t.backends = append(t.backends, server)
		addresses[b.Name] = server.Addr()
		unannounced[b.Name] = b.Rules.Unannounced()
	}
	proxy, err := t.o.Start(ctx, Setup{
		Config: s.Nginx, Backends: addresses, Unannounced: unannounced, Clock: t.clock, Sink: &t.record, Seed: t.o.Plan.Seed, CA: t.secure.ca, Files: s.Files,
	})
	if err != nil {
		return nil, err
	}
	t.proxy = proxy
	l, err := newLoad(t.o.Plan, t.clock, &t.record, t.flight, &t.record.sessions, proxy, func(why *invalid) { t.cancel(why) })
	if err != nil {
		return nil, err
	}
	origin, err := proxy.Align(ctx)
	if err != nil {
		return nil, err
	}
	t.clock.Begin(origin)
	return l, nil
}

// send runs the load, and what comes of it, under the eyes of watch, and with a pulse.
func (t *try) send(ctx context.Context, l *load) {
	done := make(chan struct{})
	var beside sync.WaitGroup
	beside.Go(func() { t.watch(ctx, l, done) })
	beside.Go(func() { pulse(t.clock, done) })
	l.run(ctx)
	t.finish(ctx)
	close(done)
	beside.Wait()
}

// judge says why the run is invalid, "" if it isn't, and whether another one, slower
// if that can be, may be valid. What the proxy itself says of its end comes first.
func (t *try) judge(ctx context.Context, missing *invalid, closing error) (string, bool) {
	var why *invalid
	switch cause := context.Cause(ctx); {
	case errors.As(cause, &why):
	case cause != nil:
		return Interrupted, false
	case closing != nil:
	case missing != nil:
		why = missing
	default:
		why = tooLate(t.clock, t.o.Plan.Scenario.Tolerance())
	}
	switch {
	case closing != nil && (why == nil || !why.again || t.clock.Speed() <= 1):
		return closing.Error(), false
	case why != nil:
		return why.reason, why.again
	}
	return "", false
}

// close stops the proxy, which tells now what it did, and then the backends.
// After an interrupt they are stopped at the same time, so that neither waits
// for the other.
func (t *try) close(ctx context.Context) error {
	var errs []error
	stopped := make(chan error, 1)
	stop := func() {
		if t.proxy == nil {
			stopped <- nil
			return
		}
		stopped <- t.proxy.Close()
	}
	if ctx.Err() != nil {
		go stop()
	} else {
		stop()
	}
	closed := make([]error, len(t.backends))
	done := make(chan int, len(t.backends))
	for i, b := range t.backends {
		go func() { closed[i] = b.Close(); done <- i }()
	}
	for range t.backends {
		i := <-done
		if closed[i] != nil {
			errs = append(errs, fmt.Errorf("backend %s: %w", t.o.Plan.Scenario.Backends[i].Name, closed[i]))
		}
	}
	return errors.Join(append([]error{<-stopped}, errs...)...)
}
