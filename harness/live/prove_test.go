package live

import (
	"testing"

	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/plan"
	"github.com/nolive/nolive/harness/scenario"
)

// A run that its judge refuses is repeated slower, and only what the last one
// did is told; in real time the refusal stands after three tries.
func TestProve(t *testing.T) {
	s := serve(t, answering)
	sc := scene(scenario.Traffic{Load: scenario.Load{Times: 2}})
	sc.Jitter = 1e10
	var r recorder
	var told []Abandoned
	o := Options{Plan: plan.New(sc, 1), Speed: 8, Sink: &r, Start: at(s.address())}
	o.Prove = func(events []event.Event, out *Outcome) string {
		if len(events) != 4 || events[0].Kind != event.RequestSent {
			t.Errorf("the judge sees %v", events)
		}
		if out.Speed > 2 {
			return "too close"
		}
		return ""
	}
	out, err := RunAuto(tolerant(t), o, func(a Abandoned) { told = append(told, a) })
	if err != nil || out.Invalid != "" || out.Speed != 2 || len(told) != 2 || told[1] != (Abandoned{Speed: 4, Next: 2, Reason: "too close"}) {
		t.Errorf("%+v, %v; told %+v", out, err, told)
	}
	if len(r.all()) != 4 {
		t.Errorf("%d events, want those of one run, 4", len(r.all()))
	}

	told = nil
	o.Speed, o.Prove = 1, func([]event.Event, *Outcome) string { return "too close" }
	out, err = RunAuto(tolerant(t), o, func(a Abandoned) { told = append(told, a) })
	if err != nil || out.Invalid != "too close" || len(told) != 2 || told[1] != (Abandoned{Speed: 1, Next: 1, Reason: "too close"}) {
		t.Errorf("%+v, %v; told %+v", out, err, told)
	}
}
