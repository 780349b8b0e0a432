package live

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/onsi/gomega"
	"github.com/onsi/gomega/gleak"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/plan"
	"github.com/nolive/nolive/harness/scenario"
	"github.com/nolive/nolive/proxy/nginxconf"
)

// stub is a proxy made for a test.
type stub struct {
	address string
	setup   Setup
	tls     bool
	// close is what Close does; nil is nothing.
	close func() error
}

func (s *stub) Address(string) string { return s.address }
func (s *stub) TLS() bool             { return s.tls }

func (s *stub) Align(context.Context) (time.Time, error) {
	return time.Now().Add(5 * time.Millisecond), nil
}
func (s *stub) Close() error {
	if s.close == nil {
		return nil
	}
	return s.close()
}

// scene is a scenario with one server, without backends unless they are given,
// and with a tolerance that no busy machine exceeds.
func scene(traffic ...scenario.Traffic) *scenario.Scenario {
	for i := range traffic {
		t := &traffic[i]
		if t.Name == "" {
			t.Name = "curl"
		}
		t.Method, t.Path = "GET", "/"
	}
	return &scenario.Scenario{
		Name: "test", Traffic: traffic, Jitter: 24 * time.Hour, Seed: 1,
		Nginx: &nginxconf.Config{Servers: []*nginxconf.Server{{
			Listens: []nginxconf.Listen{{Address: "80"}}, Locations: []*nginxconf.Location{{Path: "/"}},
		}}},
	}
}

// at says that everything goes to one address.
func at(address string) func(context.Context, Setup) (Proxy, error) {
	return func(_ context.Context, s Setup) (Proxy, error) { return &stub{address: address, setup: s}, nil }
}

// run runs a scenario and returns its events.
func run(t *testing.T, s *scenario.Scenario, speed float64, start func(context.Context, Setup) (Proxy, error)) (*Outcome, []event.Event) {
	t.Helper()
	var r recorder
	out, err := Run(tolerant(t), Options{Plan: plan.New(s, 1), Speed: speed, Sink: &r, Start: start})
	if err != nil {
		t.Fatal(err)
	}
	return out, r.all()
}

// Nothing is left when the proxy can't start, and the reason is told.
func TestStartFails(t *testing.T) {
	before := descriptors()
	boom := errors.New("no nginx")
	sc := scene(scenario.Traffic{Load: scenario.Load{Times: 1}})
	sc.Backends = []scenario.Backend{{Name: "app1"}, {Name: "app2"}}
	_, err := Run(tolerant(t), Options{Plan: plan.New(sc, 1), Start: func(_ context.Context, s Setup) (Proxy, error) {
		if len(s.Backends) != 2 || s.Backends["app1"] == s.Backends["app2"] {
			t.Errorf("backends are %v", s.Backends)
		}
		return nil, boom
	}})
	if !errors.Is(err, boom) {
		t.Errorf("error %v, want %v", err, boom)
	}
	noMore(t, before)
}

// When the context ends, everything stops at once, nothing is left, and what
// was seen so far arrives.
func TestInterrupt(t *testing.T) {
	goroutines := gleak.Goroutines()
	before := descriptors()
	asked := make(chan struct{}, 100)
	sc := scene(
		scenario.Traffic{Name: "hangs", Load: scenario.Load{Users: 5, Times: 1}},
		scenario.Traffic{Name: "pauses", Load: scenario.Load{Times: 9, Pause: scenario.Interval{Lo: time.Hour, Hi: time.Hour}}, Client: scenario.Client{Keepalive: true}},
		scenario.Traffic{Name: "later", Load: scenario.Load{At: []time.Duration{time.Hour}}},
	)
	sc.Backends = []scenario.Backend{{Name: "app", Rules: fault.Rules{{Do: fault.Fault{Door: fault.Frozen}}}}}
	s := serve(t, func(_ int, c *peer) {
		r := c.request()
		asked <- struct{}{}
		if strings.HasPrefix(r.Header.Get(event.RequestHeader), "pauses") {
			c.say(ok)
		}
		c.rest()
	})
	ctx, cancel := context.WithCancel(tolerant(t))
	defer cancel()
	var r recorder
	closed := false
	tr := newTry(Options{Plan: plan.New(sc, 1), Sink: &r, Start: func(_ context.Context, set Setup) (Proxy, error) {
		return &stub{address: s.address(), close: func() error {
			closed = true
			set.Sink.Emit(event.Event{Kind: event.Logged, Detail: "bye"})
			return nil
		}}, nil
	}}, 1)
	var began time.Time
	go func() {
		for range 6 {
			<-asked
		}
		for answered := 0; answered == 0 && ctx.Err() == nil; time.Sleep(time.Millisecond) {
			answered = len(instants(tr.record.ordered(), event.ResponseEnded, "pauses"))
		}
		began = time.Now()
		cancel()
	}()
	out, err := tr.run(ctx)
	if err != nil {
		t.Fatal(err)
	}
	tr.deliver()
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("it took %v", took)
	}
	if out.Invalid != Interrupted || !closed {
		t.Errorf("invalid: %q, proxy closed: %v", out.Invalid, closed)
	}
	if n := len(instants(r.all(), event.RequestSent, "hangs")); n != 5 {
		t.Errorf("%d of 5 sent requests were told", n)
	}
	if n := len(instants(r.all(), event.ResponseEnded, "hangs")); n != 0 {
		t.Errorf("%d answers that nobody gave", n)
	}
	if n := len(instants(r.all(), event.ResponseEnded, "pauses")); n != 1 {
		t.Errorf("%d of 1 answers were told", n)
	}
	if !slices.ContainsFunc(r.all(), func(e event.Event) bool { return e.Detail == "bye" }) {
		t.Error("the proxy's last word is missing")
	}
	s.stop()
	noMore(t, before)
	gomega.NewWithT(t).Eventually(gleak.Goroutines).ShouldNot(gleak.HaveLeaked(goroutines))
}

// An interrupt before the load begins is an interrupt too, no error.
func TestInterruptDuringStart(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	out, err := Run(ctx, Options{Plan: plan.New(scene(), 1), Start: func(ctx context.Context, _ Setup) (Proxy, error) {
		cancel()
		return nil, ctx.Err()
	}})
	if err != nil || out.Invalid != Interrupted {
		t.Errorf("%+v, %v", out, err)
	}
}

// A whole run against real backends leaves nothing behind.
func TestBackendAsProxy(t *testing.T) {
	goroutines := gleak.Goroutines()
	before := descriptors()
	sc := scene(
		scenario.Traffic{Name: "open", Load: scenario.Load{Rate: 10, For: 10 * time.Second, Poisson: true}},
		scenario.Traffic{Name: "kept", Load: scenario.Load{Users: 3, Times: 5}, Client: scenario.Client{Keepalive: true}},
	)
	sc.Backends = []scenario.Backend{{Name: "app", Rules: fault.Rules{
		{When: fault.When{Request: fault.Range{From: 7, To: 9}}, Do: fault.Fault{Script: fault.Respond(fault.RespondSpec{Status: 503, After: fault.For(time.Second)})}},
	}}}
	out, events := run(t, sc, 30, func(_ context.Context, s Setup) (Proxy, error) { return &stub{address: s.Backends["app"]}, nil })
	if out.Invalid != "" {
		t.Fatal(out.Invalid)
	}
	total := plan.New(sc, 1).Traffic[0].Count() + 15
	count := map[event.Kind]int{}
	status := map[int]int{}
	for i, e := range events {
		count[e.Kind]++
		if e.Kind == event.ResponseEnded {
			status[e.Status]++
		}
		if i > 0 && e.At < events[i-1].At && events[i-1].Kind != event.RequestSent {
			t.Errorf("%v at %v comes after %v", e.Kind, e.At, events[i-1].At)
		}
	}
	if count[event.RequestSent] != total || count[event.BackendGot] != total || count[event.ResponseEnded] != total {
		t.Errorf("%v, want %d of each", count, total)
	}
	if diff := cmp.Diff(map[int]int{200: total - 3, 503: 3}, status); diff != "" {
		t.Errorf("status (-want +got)\n%s", diff)
	}
	if out.Wait.Count < 3 || out.Send.Count != int64(total) {
		t.Errorf("%d waits and %d sends noted, want at least 3 and %d", out.Wait.Count, out.Send.Count, total)
	}
	noMore(t, before)
	gomega.NewWithT(t).Eventually(gleak.Goroutines).ShouldNot(gleak.HaveLeaked(goroutines))
}

// Progress comes while the load runs, and knows how far it goes.
func TestProgress(t *testing.T) {
	s := serve(t, answering)
	sc := scene(scenario.Traffic{Load: scenario.Load{Rate: 1, For: 50 * time.Second}})
	var seen []time.Duration
	_, err := Run(tolerant(t), Options{Plan: plan.New(sc, 1), Speed: 60, Start: at(s.address()), Progress: func(now, end time.Duration) {
		if end != 50*time.Second {
			t.Errorf("the end is %v", end)
		}
		seen = append(seen, now)
	}})
	if err != nil {
		t.Fatal(err)
	}
	if len(seen) < 2 || !slices.IsSorted(seen) || seen[0] == seen[len(seen)-1] {
		t.Errorf("progress was %v", seen)
	}
}

// noMore fails if there are more open descriptors than before, once whatever
// closes has had a moment to be closed.
func noMore(t *testing.T, before int) {
	t.Helper()
	for end := time.Now().Add(2 * time.Second); ; runtime.Gosched() {
		now := descriptors()
		if now <= before {
			return
		}
		if time.Now().After(end) {
			t.Errorf("%d descriptors, %d before", now, before)
			return
		}
		time.Sleep(time.Millisecond)
	}
}
