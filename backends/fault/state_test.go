package fault_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/nolive/nolive/backends/fault"
)

// A dumb twin of workers and their queue: a simulation that walks over the
// instants.
func TestWorkersHaveADumbTwin(t *testing.T) {
	meaning := func(s fault.Spec) fault.Fault { return meaning(t, s) }
	rapid.Check(t, func(t *rapid.T) {
		spec := fault.WorkersSpec{Count: rapid.IntRange(1, 3).Draw(t, "count")}
		if rapid.Bool().Draw(t, "limited") {
			spec.Queue = fault.Room{Limited: true, N: rapid.IntRange(0, 3).Draw(t, "queue")}
		}
		takes := time.Duration(rapid.IntRange(1, 5).Draw(t, "takes")) * time.Second
		rules := fault.Rules{{Do: meaning(&spec)}, {Do: meaning(&fault.RespondSpec{After: fault.For(takes)})}}
		arrivals := make([]int, rapid.IntRange(1, 12).Draw(t, "n"))
		for i := range arrivals {
			arrivals[i] = rapid.IntRange(0, 15).Draw(t, "at")
		}
		slices.Sort(arrivals)

		want := make([]time.Duration, len(arrivals)) // when it is answered, -1 for full
		var queue, busy []int                        // busy: seconds until which each works
		next := 0
		for now := 0; now < 100; now++ {
			busy = slices.DeleteFunc(busy, func(until int) bool { return until <= now })
			work := func(i int) {
				busy = append(busy, now+int(takes/time.Second))
				want[i] = time.Duration(now)*time.Second + takes
			}
			for len(queue) > 0 && len(busy) < spec.Count {
				work(queue[0])
				queue = queue[1:]
			}
			for ; next < len(arrivals) && arrivals[next] == now; next++ {
				switch {
				case len(busy) < spec.Count:
					work(next)
				case spec.Queue.Limited && len(queue) >= spec.Queue.N:
					want[next] = -1
				default:
					queue = append(queue, next)
				}
			}
		}
		var state fault.State
		for i, at := range arrivals {
			x := &fault.Exchange{At: time.Duration(at) * time.Second, Request: i + 1, Connection: 1, Exchange: i + 1}
			sc, _ := state.Answer(rules, x, awake)
			got := sc.Timeline(nil, x.At, awake)[0].At
			if sc.Response.Status == 503 {
				got = -1
			}
			if got != want[i] {
				t.Fatalf("request %d of %v with %d workers: answered at %v, want %v", i+1, arrivals, spec.Count, got, want[i])
			}
		}
	})
}

// A worker that hangs is lost, and who waits for it waits for ever.
func TestHangsEatTheWorkers(t *testing.T) {
	var state fault.State
	rules := fault.Rules{
		{Do: meaning(t, &fault.WorkersSpec{Count: 1, Full: "reset", Queue: fault.Room{Limited: true, N: 1}})},
		{Do: meaning(t, &fault.HangSpec{})}}
	for i, want := range []fault.Op{fault.Stall, fault.Stall, fault.Reset} {
		sc, _ := state.Answer(rules, &fault.Exchange{At: time.Second, Request: i + 1}, awake)
		if got := sc.Steps[len(sc.Steps)-1].Op; got != want {
			t.Errorf("request %d: %d, want %d", i+1, got, want)
		}
	}
}

func TestDelaysFollowTheirDistribution(t *testing.T) {
	ms := time.Millisecond
	const n = 20_000
	sample := func(l fault.Latency, since time.Duration) []time.Duration {
		from := fault.When{From: 5 * time.Second}
		rules := fault.Rules{{When: from, Do: compose(t, &fault.WaitSpec{Latency: l}, &fault.RespondSpec{})}}
		after := fault.Rules{{When: from, Do: meaning(t, &fault.RespondSpec{After: l})}}
		var out []time.Duration
		for i := range n {
			at := 5*time.Second + since
			x := &fault.Exchange{At: at, Request: i, Length: func(step int) float64 {
				return fault.DrawLength(1, "app1", step, string(rune(i)))
			}}
			sc, _ := new(fault.State).Answer(rules, x, awake)
			out = append(out, sc.Timeline(nil, at, awake)[0].At-at)
			// An answer that takes its time is the answer behind a wait.
			if sc, _ := new(fault.State).Answer(after, x, awake); sc.Timeline(nil, at, awake)[0].At-at != out[i] {
				t.Fatalf("%+v: a wait of %v, but after %v", l, out[i], sc.Timeline(nil, at, awake)[0].At-at)
			}
		}
		slices.Sort(out)
		return out
	}
	near := func(what string, got, want time.Duration) {
		t.Helper()
		if math.Abs(float64(got-want)) > .06*float64(want) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	uniform := sample(fault.Latency{Min: 10 * ms, Max: 50 * ms}, 0)
	near("least", uniform[0], 10*ms)
	near("median", uniform[n/2], 30*ms)
	near("most", uniform[n-1], 50*ms)
	tail := sample(fault.Latency{Median: 20 * ms, P99: 2 * time.Second}, 0)
	near("median", tail[n/2], 20*ms)
	near("p84", tail[n*8413/10000], time.Duration(20*float64(ms)*math.Pow(100, 1/2.3263)))
	if p99 := tail[n*99/100]; p99 < 1600*ms || p99 > 2400*ms {
		t.Errorf("p99: %v, want 2s", p99)
	}
	list := sample(fault.Latency{OneOf: []time.Duration{ms, ms, ms, 9 * ms}}, 0)
	if list[n*74/100] != ms || list[n*76/100] != 9*ms {
		t.Errorf("a quarter isn't the fourth of the list: %v %v", list[n*74/100], list[n*76/100])
	}
	ramp := fault.Latency{First: 2 * time.Second, Last: time.Second, Over: 10 * time.Second}
	for since, want := range map[time.Duration]time.Duration{0: 2 * time.Second, 5 * time.Second: 1500 * ms, time.Minute: time.Second} {
		if got := sample(ramp, since)[0]; got != want {
			t.Errorf("ramp after %v: %v, want %v", since, got, want)
		}
	}
}

func compose(t *testing.T, specs ...fault.Spec) fault.Fault {
	t.Helper()
	var list []fault.Fault
	for _, s := range specs {
		list = append(list, meaning(t, s))
	}
	f, err := fault.Compose(list...)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// A window that repeats starts its ramp anew each time.
func TestWindowsRepeat(t *testing.T) {
	s := time.Second
	rules := fault.Rules{
		{When: fault.When{From: 10 * s, Until: 26 * s, Lasts: 2 * s, Repeats: 7 * s}, Do: meaning(t, &fault.RefuseSpec{})}}
	want := fault.Doors{{At: 0}, {10 * s, fault.Refusing}, {12 * s, fault.Open}, {17 * s, fault.Refusing}, {19 * s, fault.Open},
		{24 * s, fault.Refusing}, {26 * s, fault.Open}}
	if got := rules.DoorChanges(); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	once := fault.Rules{{When: fault.When{From: 10 * s, Lasts: 2 * s}, Do: meaning(t, &fault.RefuseSpec{})}}
	if got := once.DoorChanges(); !slices.Equal(got, want[:3]) {
		t.Errorf("got %v, want %v", got, want[:3])
	}
	x := &fault.Exchange{At: 18 * s}
	flap := fault.Rules{{When: fault.When{From: 10 * s, Lasts: 2 * s, Repeats: 7 * s}, Do: meaning(t, &fault.StatusSpec{Code: 503})}}
	if f := flap.Pick(x); f.Script.Response.Status != 503 || x.Since != s {
		t.Errorf("got %d, open since %v", f.Script.Response.Status, x.Since)
	}
}
