package live

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/onsi/gomega"
	"github.com/onsi/gomega/gleak"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/clock"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/plan"
	"github.com/nolive/nolive/harness/scenario"
	"github.com/nolive/nolive/proxy/nginxconf"
)

// stub is a proxy made for a test.
type stub struct {
	address string
	setup   Setup
	// close is what Close does; nil is nothing.
	close func() error
}

func (s *stub) Address(string) string { return s.address }
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
	return out, r.events
}

// A user asks in order, one request at a time, and each comes exactly a pause
// after the answer before it.
func TestClosedLoop(t *testing.T) {
	const users, times = 3, 4
	var mu sync.Mutex
	under := map[string]int{}
	s := serve(t, func(_ int, c *peer) {
		r := c.request()
		if r == nil {
			return
		}
		id, err := event.ParseRequest(r.Header.Get(event.RequestHeader))
		if err != nil {
			t.Error(err)
		}
		user := fmt.Sprint((id.N - 1) % users)
		mu.Lock()
		if under[user]++; under[user] > 1 {
			t.Errorf("user %s asks %v before it has its answer", user, id)
		}
		mu.Unlock()
		time.Sleep(time.Millisecond)
		mu.Lock()
		under[user]--
		mu.Unlock()
		c.say(ok)
		c.rest()
	})
	sc := scene(scenario.Traffic{Load: scenario.Load{
		Users: users, Times: times,
		Start: scenario.Interval{Hi: 2 * time.Second}, Pause: scenario.Interval{Lo: time.Second, Hi: 3 * time.Second},
	}})
	out, events := run(t, sc, 30, at(s.address()))
	if out.Invalid != "" {
		t.Fatal(out.Invalid)
	}
	p := plan.New(sc, 1).Traffic[0]
	sent, ended := instants(events, event.RequestSent, "curl"), instants(events, event.ResponseEnded, "curl")
	if len(sent) != users*times || len(ended) != users*times {
		t.Fatalf("%d sent and %d answered, want %d each", len(sent), len(ended), users*times)
	}
	for u := 1; u <= users; u++ {
		want := p.Start(u)
		for k := 1; k <= times; k++ {
			n := p.Request(u, k).N
			if sent[n] != want {
				t.Errorf("request %d: sent at %v, want %v", n, sent[n], want)
			}
			if ended[n] <= sent[n] {
				t.Errorf("request %d: answered at %v, sent at %v", n, ended[n], sent[n])
			}
			want = ended[n] + p.Pause(u, k)
		}
	}
	if last := slices.Max(slices.Collect(maps.Values(ended))); out.End < last {
		t.Errorf("the run ended at %v, before the last answer at %v", out.End, last)
	}
}

// A closed loop that time bounds ends by itself: with the first request that
// would come too late.
func TestClosedLoopFor(t *testing.T) {
	const bound, pause = 30 * time.Second, 2 * time.Second
	s := serve(t, answering)
	sc := scene(scenario.Traffic{Load: scenario.Load{For: bound, Pause: scenario.Interval{Lo: pause, Hi: pause}}})
	_, events := run(t, sc, 60, at(s.address()))
	sent, ended := instants(events, event.RequestSent, "curl"), instants(events, event.ResponseEnded, "curl")
	n := len(sent)
	if n < 2 || sent[n] >= bound || ended[n]+pause < bound {
		t.Errorf("the last of %d requests was sent at %v and answered at %v", n, sent[n], ended[n])
	}
}

// An open loop sends each request at its instant although nobody answers the
// ones before: the server answers none until all are there.
func TestOpenLoopDoesNotWait(t *testing.T) {
	const requests = 200
	all := make(chan struct{})
	var arrived sync.WaitGroup
	arrived.Add(requests)
	go func() { arrived.Wait(); close(all) }()
	s := serve(t, func(_ int, c *peer) {
		c.request()
		arrived.Done()
		<-all
		c.say(ok)
		c.rest()
	})
	sc := scene(scenario.Traffic{Load: scenario.Load{Rate: 20, For: 10 * time.Second}})
	out, events := run(t, sc, 30, at(s.address()))
	if out.Invalid != "" {
		t.Fatal(out.Invalid)
	}
	sent := instants(events, event.RequestSent, "curl")
	if len(sent) != requests {
		t.Fatalf("%d requests, want %d", len(sent), requests)
	}
	for n, at := range sent {
		if want := time.Duration(n-1) * 50 * time.Millisecond; at != want {
			t.Errorf("request %d at %v, want %v", n, at, want)
		}
	}
}

// Explicit instants may be the same, and name their requests in order.
func TestExplicitInstants(t *testing.T) {
	s := serve(t, answering)
	sc := scene(scenario.Traffic{Load: scenario.Load{At: []time.Duration{0, 0, 3 * time.Second, time.Second}}})
	_, events := run(t, sc, 60, at(s.address()))
	want := map[int]time.Duration{1: 0, 2: 0, 3: time.Second, 4: 3 * time.Second}
	if diff := cmp.Diff(want, instants(events, event.RequestSent, "curl")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// Requests are sent when they are due in scenario time, never before: what the
// server sees is late by what the run says of itself, within a factor.
func TestSpeed(t *testing.T) {
	const speed, gap = 20, 4 * time.Second
	var mu sync.Mutex
	var seen []time.Time
	s := serve(t, func(_ int, c *peer) {
		mu.Lock()
		seen = append(seen, time.Now())
		mu.Unlock()
		answering(0, c)
	})
	sc := scene(scenario.Traffic{Load: scenario.Load{Rate: 1 / gap.Seconds(), For: 5 * gap}})
	out, _ := run(t, sc, speed, at(s.address()))
	got := seen[4].Sub(seen[0]).Seconds() * speed
	want := (4 * gap).Seconds()
	slack := 4*out.Send.Max.Seconds() + 0.05*want
	if math.Abs(got-want) > slack {
		t.Errorf("four gaps of %v took %.1f s of scenario time, jitter %v", gap, got, out.Send.Max)
	}
	if out.Send.Count != 5 || out.Speed != speed {
		t.Errorf("%d sends noted at speed %v", out.Send.Count, out.Speed)
	}
}

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
	if n := len(instants(tr.record.events, event.RequestSent, "curl")); n != 8 {
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
	if n := len(instants(r.events, event.RequestSent, "hangs")); n != 5 {
		t.Errorf("%d of 5 sent requests were told", n)
	}
	if n := len(instants(r.events, event.ResponseEnded, "hangs")); n != 0 {
		t.Errorf("%d answers that nobody gave", n)
	}
	if n := len(instants(r.events, event.ResponseEnded, "pauses")); n != 1 {
		t.Errorf("%d of 1 answers were told", n)
	}
	if !slices.ContainsFunc(r.events, func(e event.Event) bool { return e.Detail == "bye" }) {
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
		{When: fault.When{Request: fault.Range{From: 7, To: 9}}, Do: fault.Fault{Script: fault.Respond(fault.RespondSpec{Status: 503, After: time.Second})}},
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
