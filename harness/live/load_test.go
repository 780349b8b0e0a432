package live

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/plan"
	"github.com/nolive/nolive/harness/scenario"
)

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
		// A pause makes up for what the send before it was late, never for more.
		want, made := p.Start(u), time.Duration(0)
		for k := 1; k <= times; k++ {
			n := p.Request(u, k).N
			if sent[n] > want || sent[n] < want-made {
				t.Errorf("request %d: sent at %v, want %v, or up to %v before", n, sent[n], want, made)
			}
			made = out.Send.Max + out.Send.Max/100 // the histogram has three digits
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
