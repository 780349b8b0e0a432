package live

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nolive/nolive/harness/clock"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/plan"
	"github.com/nolive/nolive/harness/scenario"
)

// The first speed is the fastest that everybody bears.
func TestFirstSpeed(t *testing.T) {
	ms := time.Millisecond
	for _, tt := range []struct {
		name            string
		ask, max, asked float64
		jitter, late    time.Duration
		want            float64
	}{
		{name: "auto on a quiet machine", jitter: time.Second, late: 100 * time.Microsecond, want: 30},
		{name: "auto, nothing measured", want: 30},
		{name: "auto on a busy machine", jitter: time.Second, late: 20 * ms, want: 12},
		{name: "auto with the default tolerance", late: 20 * ms, want: 12},
		{name: "auto, hardly any tolerance", jitter: ms, late: ms, want: 1},
		{name: "the scenario asks for more", ask: 60, jitter: time.Second, late: ms, want: 60},
		{name: "the scenario asks for more than the machine can", ask: 60, jitter: time.Second, late: 10 * ms, want: 25},
		{name: "the scenario asks for less", ask: 5, want: 5},
		{name: "the scenario bears less", max: 10, want: 10},
		{name: "the scenario bears real time only", max: 1, ask: 30, want: 1},
		{name: "the user asks, whatever was measured", asked: 100, jitter: time.Second, late: 20 * ms, want: 100},
		{name: "the user asks for more than the scenario bears", asked: 100, max: 20, want: 20},
		{name: "slower than real time", asked: 0.5, want: 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &scenario.Scenario{AskSpeed: tt.ask, MaxSpeed: tt.max, Jitter: tt.jitter}
			if got := FirstSpeed(s, tt.asked, tt.late); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

// Timers are never early, so the calibration finds something.
func TestCalibrate(t *testing.T) {
	if late := Calibrate(t.Context()); late <= 0 || late > 10*time.Second {
		t.Errorf("timers were up to %v late", late)
	}
}

// hiccup is a proxy on a machine that is late by a real amount in every run.
func hiccup(address string, real time.Duration) func(context.Context, Setup) (Proxy, error) {
	return func(_ context.Context, s Setup) (Proxy, error) {
		for range 20 {
			s.Clock.Lateness().Note(clock.Wait, time.Duration(float64(real)*s.Clock.Speed()))
		}
		return &stub{address: address}, nil
	}
}

// A run that is late as a whole is repeated so slow that what was late is in time,
// each abandoned try is told, and only the last one's events are.
func TestSlower(t *testing.T) {
	s := serve(t, answering)
	sc := scene(scenario.Traffic{Load: scenario.Load{Times: 2}})
	sc.Jitter = 18 * time.Second // more than any real lateness at these speeds
	var r recorder
	var told []Abandoned
	out, err := RunAuto(tolerant(t), Options{Plan: plan.New(sc, 1), Speed: 30, Sink: &r, Start: hiccup(s.address(), 3*time.Second)},
		func(a Abandoned) { told = append(told, a) })
	if err != nil {
		t.Fatal(err)
	}
	want := []Abandoned{
		{Speed: 30, Next: 6, Reason: "waits were up to 1m30s late, the scenario tolerates 18s: run slower"},
	}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if out.Invalid != "" || out.Speed != 6 {
		t.Errorf("speed %v, invalid: %q", out.Speed, out.Invalid)
	}
	if len(r.all()) != 4 {
		t.Errorf("%d events, want those of one run, 4", len(r.all()))
	}
}

// At half the speed at most, however little was missing.
func TestHalfTheSpeed(t *testing.T) {
	for _, c := range []struct {
		speed           float64
		late, tolerated time.Duration
		want            float64
	}{
		{30, 0, time.Second, 15}, // something else than lateness
		{30, 1100 * time.Millisecond, time.Second, 15},
		{30, 9 * time.Second, time.Second, 3},
		{30, time.Hour, time.Second, 1},
		{3, 2 * time.Second, time.Second, 1},
		{90, 60 * time.Second, 20 * time.Second, 30},
	} {
		if got := slower(c.speed, c.late, c.tolerated); got != c.want {
			t.Errorf("at speed %g %v late, %v tolerated: %g, want %g", c.speed, c.late, c.tolerated, got, c.want)
		}
	}
}

// stalls is a proxy on a machine that is late once in some of the runs.
func stalls(address string, late time.Duration, in ...int) func(context.Context, Setup) (Proxy, error) {
	n := 0
	return func(_ context.Context, s Setup) (Proxy, error) {
		n++
		for range 99 {
			s.Clock.Lateness().Note(clock.Wait, 0)
		}
		if slices.Contains(in, n) {
			s.Clock.Lateness().Note(clock.Wait, late)
		}
		return &stub{address: address}, nil
	}
}

// A run that was late for a moment is repeated as it is before it is repeated slower,
// and not for ever.
func TestLateForAMoment(t *testing.T) {
	const reason = "waits were up to 50s late, the scenario tolerates 20s: run slower"
	for _, c := range []struct {
		name  string
		in    []int
		speed float64
		want  []Abandoned
	}{
		{"once", []int{1}, 30, []Abandoned{{30, 30, reason}}},
		{"each time", []int{1, 2, 3, 4, 5}, 12, append(slices.Repeat([]Abandoned{{30, 30, reason}}, 4), Abandoned{30, 12, reason})},
		{"and then slower too", []int{1, 2, 3, 4, 5, 6}, 12, append(slices.Repeat([]Abandoned{{30, 30, reason}}, 4), Abandoned{30, 12, reason}, Abandoned{12, 12, reason})},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, answering)
			sc := scene(scenario.Traffic{Load: scenario.Load{Times: 2}})
			sc.Jitter = 20 * time.Second
			var told []Abandoned
			out, err := RunAuto(tolerant(t), Options{Plan: plan.New(sc, 1), Speed: 30, Start: stalls(s.address(), 50*time.Second, c.in...)},
				func(a Abandoned) { told = append(told, a) })
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, told); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if out.Invalid != "" || out.Speed != c.speed {
				t.Errorf("speed %v, invalid: %q", out.Speed, out.Invalid)
			}
		})
	}
}

// What took long isn't repeated as it is: it would be late again, and take long again.
func TestLongTriesAreNotRepeatedAsTheyAre(t *testing.T) {
	tr := newTry(Options{Plan: plan.New(scene(scenario.Traffic{}), 1)}, 30)
	tr.again = true
	tr.clock.Lateness().Note(clock.Wait, 2*time.Second)
	out := &Outcome{Speed: 30, Invalid: "late", Wall: brief}
	if got := tr.next(out, 1); got != 15 {
		t.Errorf("next at speed %g, want 15", got)
	}
	out.Speed = 1
	if got := tr.next(out, 1); got != 0 {
		t.Errorf("next at speed %g, want none", got)
	}
}

// In real time there is nothing slower: a short run is tried again as it is, and the
// last one's events are told all the same.
func TestNotSlowerThanRealTime(t *testing.T) {
	s := serve(t, answering)
	sc := scene(scenario.Traffic{Load: scenario.Load{Times: 2}})
	sc.Jitter, sc.MaxSpeed = 10*time.Second, 1
	var r recorder
	const reason = "waits were up to 12s late, the scenario tolerates 10s: the machine is too busy"
	var told []Abandoned
	out, err := RunAuto(tolerant(t), Options{Plan: plan.New(sc, 1), Sink: &r, Start: hiccup(s.address(), 12*time.Second)},
		func(a Abandoned) { told = append(told, a) })
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Abandoned{{1, 1, reason}, {1, 1, reason}}, told); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if out.Invalid != reason {
		t.Errorf("invalid: %q, want %q", out.Invalid, reason)
	}
	if len(r.all()) != 4 {
		t.Errorf("%d events, want 4", len(r.all()))
	}
}

// A try that can be repeated doesn't go on for its hour once it is too late.
func TestGivenUpEarly(t *testing.T) {
	s := serve(t, answering)
	sc := scene(scenario.Traffic{Load: scenario.Load{At: []time.Duration{0, time.Hour}}})
	sc.Jitter = time.Second
	ctx, cancel := context.WithCancel(tolerant(t))
	var told []Abandoned
	out, err := RunAuto(ctx, Options{Plan: plan.New(sc, 1), Speed: 2, Start: hiccup(s.address(), 600*time.Millisecond)},
		func(a Abandoned) { told = append(told, a); time.AfterFunc(100*time.Millisecond, cancel) })
	if err != nil {
		t.Fatal(err)
	}
	if len(told) != 1 || told[0].Speed != 2 || out.Invalid != Interrupted {
		t.Errorf("told %+v, then invalid: %q", told, out.Invalid)
	}
}

// An interrupt isn't repeated slower.
func TestInterruptEndsAuto(t *testing.T) {
	ctx, cancel := context.WithCancel(tolerant(t))
	s := serve(t, func(_ int, c *peer) { c.request(); cancel(); c.rest() })
	sc := scene(scenario.Traffic{Load: scenario.Load{Times: 1}})
	var r recorder
	out, err := RunAuto(ctx, Options{Plan: plan.New(sc, 1), Sink: &r, Start: at(s.address())},
		func(a Abandoned) { t.Errorf("repeated: %+v", a) })
	if err != nil || out.Invalid != Interrupted {
		t.Errorf("%+v, %v", out, err)
	}
	if len(instants(r.all(), event.RequestSent, "curl")) != 1 {
		t.Errorf("what was seen is missing: %v", r.all())
	}
}
