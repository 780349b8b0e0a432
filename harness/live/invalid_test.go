package live

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nolive/nolive/harness/clock"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/plan"
	"github.com/nolive/nolive/harness/scenario"
)

// The limit of requests under way makes the run invalid and ends it; it never
// makes the load slower.
func TestTooManyOutstanding(t *testing.T) {
	s := serve(t, func(_ int, c *peer) { c.request(); c.rest() })
	sc := scene(scenario.Traffic{Load: scenario.Load{At: make([]time.Duration, 9)}})
	var r recorder
	tr := newTry(Options{Plan: plan.New(sc, 1), Sink: &r, Start: at(s.address())}, 1)
	tr.flight = newFlight(8)
	out, err := tr.run(tolerant(t))
	if err != nil {
		t.Fatal(err)
	}
	if want := "curl/9 could not be sent: 8 requests are under way, the limit"; out.Invalid != want {
		t.Errorf("invalid: %q, want %q", out.Invalid, want)
	}
	if n := len(instants(tr.record.all(), event.RequestSent, "curl")); n != 8 {
		t.Errorf("%d requests were sent, want 8", n)
	}
}

// A run in which only unanswered requests are left is given up, and says which.
func TestStuck(t *testing.T) {
	s := serve(t, func(_ int, c *peer) { c.request(); c.rest() })
	sc := scene(scenario.Traffic{Name: "a", Load: scenario.Load{Users: 5, Times: 1}})
	tr := newTry(Options{Plan: plan.New(sc, 1), Start: at(s.address())}, 60)
	tr.patience = 30 * time.Second
	out, err := tr.run(tolerant(t))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(out.Invalid, "still waiting for a/1 (sent at 0s), a/2 (sent at 0s), a/3 (sent at 0s) and 2 more after ") {
		t.Errorf("invalid: %q", out.Invalid)
	}
	if out.End < tr.patience {
		t.Errorf("given up at %v, patience is %v", out.End, tr.patience)
	}
}

// A pause, however long, is no reason to give up.
func TestNotStuckWhileSomeoneWillSend(t *testing.T) {
	first := make(chan struct{})
	s := serve(t, func(n int, c *peer) {
		if c.request(); n == 1 {
			<-first // outlasts the patience by far
		} else {
			close(first)
		}
		c.say(ok)
		c.rest()
	})
	sc := scene(scenario.Traffic{Load: scenario.Load{At: []time.Duration{0, 60 * time.Second}}})
	tr := newTry(Options{Plan: plan.New(sc, 1), Start: at(s.address())}, 60)
	tr.patience = 10 * time.Second
	out, err := tr.run(tolerant(t))
	if err != nil || out.Invalid != "" {
		t.Errorf("%v, %q", err, out.Invalid)
	}
}

// A proxy that dies makes the run invalid long before its hour is over.
func TestProxyDied(t *testing.T) {
	third := make(chan struct{})
	s := serve(t, func(n int, c *peer) {
		if n == 3 {
			close(third)
			return
		}
		answering(n, c)
	})
	go func() { <-third; s.stop() }()
	sc := scene(scenario.Traffic{Load: scenario.Load{For: time.Hour, Pause: scenario.Interval{Lo: time.Second, Hi: time.Second}}})
	out, _ := run(t, sc, 60, at(s.address()))
	if want := "the proxy died during the run: nobody listens on " + s.address() + " any more"; out.Invalid != want {
		t.Errorf("invalid: %q, want %q", out.Invalid, want)
	}
}

// A proxy that dies under the last request, which nobody comes after.
func TestProxyDiedAtTheEnd(t *testing.T) {
	asked := make(chan struct{})
	s := serve(t, func(_ int, c *peer) { c.request(); close(asked); c.rest() })
	go func() { <-asked; s.stop() }()
	out, events := run(t, scene(scenario.Traffic{Load: scenario.Load{Times: 1}}), 1, at(s.address()))
	if !strings.HasPrefix(out.Invalid, "the proxy died during the run: ") {
		t.Errorf("invalid: %q after %v", out.Invalid, events)
	}
}

// A proxy that answers nothing but closes is alive.
func TestProxyThatCloses(t *testing.T) {
	s := serve(t, func(_ int, c *peer) { c.request(); c.Close() })
	sc := scene(scenario.Traffic{Load: scenario.Load{Times: 3}})
	out, events := run(t, sc, 1, at(s.address()))
	if out.Invalid != "" {
		t.Error(out.Invalid)
	}
	for _, e := range events {
		if e.Kind == event.ResponseEnded && e.Outcome != event.Closed {
			t.Errorf("%v: %v, want closed", e.Request, e.Outcome)
		}
	}
}

// What a proxy says of its own end makes the run invalid.
func TestProxyCloseFails(t *testing.T) {
	s := serve(t, answering)
	sc := scene(scenario.Traffic{Load: scenario.Load{Times: 1}})
	out, events := run(t, sc, 1, func(context.Context, Setup) (Proxy, error) {
		return &stub{address: s.address(), close: func() error { return errors.New("worker 7 dumped core") }}, nil
	})
	if out.Invalid != "worker 7 dumped core" || len(events) != 2 {
		t.Errorf("invalid: %q with %d events", out.Invalid, len(events))
	}
}

// Waits that were too late make a run invalid as sends do.
func TestTooLate(t *testing.T) {
	s := serve(t, answering)
	sc := scene(scenario.Traffic{Load: scenario.Load{Times: 1}})
	sc.Jitter = 40 * time.Second
	out, _ := run(t, sc, 10, func(_ context.Context, set Setup) (Proxy, error) {
		set.Clock.Lateness().Note(clock.Wait, 41400*time.Millisecond)
		return &stub{address: s.address()}, nil
	})
	if want := "waits were up to 41.4s late, the scenario tolerates 40s: run slower"; out.Invalid != want {
		t.Errorf("invalid: %q, want %q", out.Invalid, want)
	}
	if out.Wait.Count != 1 {
		t.Errorf("%d waits noted", out.Wait.Count)
	}
}
