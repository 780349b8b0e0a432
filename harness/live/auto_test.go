package live

import (
	"context"
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
		s.Clock.Lateness().Note(clock.Wait, time.Duration(float64(real)*s.Clock.Speed()))
		return &stub{address: address}, nil
	}
}

// A run that is too late is repeated at half the speed until it isn't, each
// abandoned try is told, and only the last one's events are.
func TestSlower(t *testing.T) {
	s := serve(t, answering)
	sc := scene(scenario.Traffic{Load: scenario.Load{Times: 2}})
	sc.Jitter = 20 * time.Second // more than any real lateness at these speeds
	var r recorder
	var told []Abandoned
	out, err := RunAuto(tolerant(t), Options{Plan: plan.New(sc, 1), Speed: 30, Sink: &r, Start: hiccup(s.address(), 3*time.Second)},
		func(a Abandoned) { told = append(told, a) })
	if err != nil {
		t.Fatal(err)
	}
	want := []Abandoned{
		{Speed: 30, Next: 15, Reason: "waits were up to 1m30s late, the scenario tolerates 20s: run slower"},
		{Speed: 15, Next: 7, Reason: "waits were up to 45s late, the scenario tolerates 20s: run slower"},
		{Speed: 7, Next: 3, Reason: "waits were up to 21s late, the scenario tolerates 20s: run slower"},
	}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if out.Invalid != "" || out.Speed != 3 {
		t.Errorf("speed %v, invalid: %q", out.Speed, out.Invalid)
	}
	if len(r.all()) != 4 {
		t.Errorf("%d events, want those of one run, 4", len(r.all()))
	}
}

// In real time there is nothing slower; the run's events are told all the same.
func TestNotSlowerThanRealTime(t *testing.T) {
	s := serve(t, answering)
	sc := scene(scenario.Traffic{Load: scenario.Load{Times: 2}})
	sc.Jitter, sc.MaxSpeed = 10*time.Second, 1
	var r recorder
	out, err := RunAuto(tolerant(t), Options{Plan: plan.New(sc, 1), Sink: &r, Start: hiccup(s.address(), 12*time.Second)},
		func(a Abandoned) { t.Errorf("repeated: %+v", a) })
	if err != nil {
		t.Fatal(err)
	}
	if want := "waits were up to 12s late, the scenario tolerates 10s: the machine is too busy"; out.Invalid != want {
		t.Errorf("invalid: %q, want %q", out.Invalid, want)
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
