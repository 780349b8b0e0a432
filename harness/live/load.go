package live

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/nolive/nolive/harness/clock"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/plan"
)

// load sends the requests of all traffics of a plan.
type load struct {
	plan    *plan.Plan
	clock   *clock.Clock
	flight  *flight
	clients []*client
}

// newLoad prepares a client for each traffic. Connections to stream servers are
// noted in known; fail ends the run as invalid.
func newLoad(p *plan.Plan, c *clock.Clock, sink event.Sink, f *flight, known *sessions, proxy Proxy, fail func(*invalid)) (*load, error) {
	l := &load{plan: p, clock: c, flight: f}
	for i := range p.Traffic {
		t := p.Traffic[i].Spec
		to, err := findTarget(p.Scenario.Nginx, t.To, proxy.Address)
		if err != nil {
			return nil, fmt.Errorf("traffic %s: %w", t.Name, err)
		}
		var through *sessions
		if to.stream {
			through = known
		}
		cl := client{sessions: through, spec: t, clock: c, sink: sink, flight: f, fail: fail, address: to.dial}
		if to.tls && proxy.TLS() {
			cl.tls = clientTLS(to.name)
		}
		if len(t.Client.Addresses) > 0 {
			cl.from = p.Traffic[i].Address
		}
		l.clients = append(l.clients, newClient(cl, to.host))
	}
	return l, nil
}

// run sends everything and returns when the last answer is in, or soon after
// ctx has ended.
func (l *load) run(ctx context.Context) {
	defer context.AfterFunc(ctx, l.flight.halt)()
	var wg sync.WaitGroup
	for i := range l.plan.Traffic {
		t, c := &l.plan.Traffic[i], l.clients[i]
		if t.Open() {
			wg.Go(func() { l.open(ctx, t, c) })
			continue
		}
		for u := 1; u <= t.Users(); u++ {
			wg.Go(func() { l.user(ctx, t, c, u) })
		}
	}
	wg.Wait()
}

// open sends each request at its instant, whatever is still under way.
func (l *load) open(ctx context.Context, t *plan.Traffic, c *client) {
	var idle idle
	defer idle.close()
	var wg sync.WaitGroup
	defer wg.Wait()
	timer := stoppedTimer()
	n := 0
	for at := range t.Arrivals() {
		if !l.sleepUntil(ctx, timer, at) {
			return
		}
		n++
		o := c.begin(event.Request{Traffic: t.Spec.Name, N: n}, at)
		if o == nil {
			return
		}
		wg.Go(func() { c.send(ctx, &idle, o) })
	}
}

// user asks, waits for the answer, pauses and asks again.
func (l *load) user(ctx context.Context, t *plan.Traffic, c *client, u int) {
	var idle idle
	defer idle.close()
	timer := stoppedTimer()
	at := t.Start(u)
	for k := 1; t.More(u, k, at); k++ {
		if !l.sleepUntil(ctx, timer, at) {
			return
		}
		o := c.begin(t.Request(u, k), at)
		if o == nil {
			return
		}
		end, ok := c.send(ctx, &idle, o)
		if !ok {
			return
		}
		// A send that is late makes its answer late; the next one isn't, as far as
		// the pause makes up for it, or a loop of ten pauses would add up what the
		// machine is late ten times.
		at = max(end-o.late+t.Pause(u, k), end)
	}
}

func stoppedTimer() *time.Timer {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return t
}

// sleepUntil waits for a scenario time. It is false when ctx ended first. How
// late the send then is the client notes itself, as more can come in between.
func (l *load) sleepUntil(ctx context.Context, timer *time.Timer, at time.Duration) bool {
	wait := time.Until(l.clock.Instant(at))
	if wait <= 0 || ctx.Err() != nil {
		return ctx.Err() == nil
	}
	l.flight.wait(+1)
	defer l.flight.wait(-1)
	timer.Reset(wait)
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		timer.Stop()
		return false
	}
}
