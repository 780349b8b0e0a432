package harness_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/scenario"
	"github.com/nolive/nolive/proxy/nginx"
)

func TestRunSimulates(t *testing.T) {
	s := shipped(t, "frozen-backend-curl-loop").Scenarios[0]
	r, err := harness.Run(context.Background(), s, harness.Sim)
	if err != nil {
		t.Fatal(err)
	}
	if !r.OK() || !r.Valid() || len(r.Verdicts) != len(s.Expect) || r.Speed != 0 || r.Version != "" || r.Seed != s.Seed {
		t.Errorf("%+v", r)
	}
	// 36 answers with five seconds after each but the last, and four minutes of waiting.
	if want := 35*5*time.Second + 4*time.Minute; r.End < want || r.End > want+time.Second {
		t.Errorf("ended at %v, want about %v", r.End, want)
	}
	if r.Wall > r.End/10 {
		t.Errorf("%v of scenario time took %v", r.End, r.Wall)
	}
	for i, e := range r.Events[1:] {
		if e.At < r.Events[i].At {
			t.Fatalf("%v comes after %v", e, r.Events[i])
		}
	}
}

// The reference proxy does on sockets what the simulator says, in an N-th of the time.
func TestRunOnSockets(t *testing.T) {
	s := parse(t, "x.yaml", refusing).Scenarios[0]
	r := run(t, harness.Runner{Speed: 20}, s, harness.Reference)
	if !r.Valid() {
		t.Skipf("the machine is too busy: %s", r.Invalid)
	}
	if !r.OK() || r.Speed != 20 || r.Send.Count != 5 || r.Send.Max <= 0 {
		t.Errorf("%+v", r)
	}
	for _, d := range harness.Compare(run(t, harness.Runner{}, s, harness.Sim), r) {
		t.Errorf("simulator and reference: %v", d)
	}
	if r.Wall < 4*time.Second/20 {
		t.Errorf("four seconds at speed 20 took %v", r.Wall)
	}
}

func TestSeed(t *testing.T) {
	src := strings.Replace(refusing, "times: 5, pause: 1s", "users: 3, times: 5, start: 0s..9s", 1)
	s := parse(t, "x.yaml", "seed: 7\n"+src).Scenarios[0]
	own := run(t, harness.Runner{}, s, harness.Sim)
	same := run(t, harness.Runner{Seed: 7, SeedSet: true}, s, harness.Sim)
	zero := run(t, harness.Runner{SeedSet: true}, s, harness.Sim)
	if own.Seed != 7 || zero.Seed != 0 {
		t.Errorf("seeds %d and %d", own.Seed, zero.Seed)
	}
	if diff := cmp.Diff(own.Events, same.Events); diff != "" {
		t.Errorf("the same seed gives something else:\n%s", diff)
	}
	if cmp.Equal(own.Events, zero.Events) {
		t.Error("another seed gives the same")
	}
}

// What is kept, what is told on the way, and what is counted are the same events.
func TestKeepAndSink(t *testing.T) {
	s := parse(t, "x.yaml", refusing).Scenarios[0]
	var told []event.Event
	var progress []time.Duration
	sink := event.SinkFunc(func(e event.Event) { told = append(told, e) })
	kept := run(t, harness.Runner{Sink: sink, Progress: func(now, end time.Duration) { progress = append(progress, now) }}, s, harness.Sim)
	if diff := cmp.Diff(kept.Events, told); diff != "" {
		t.Errorf("-kept +told:\n%s", diff)
	}
	flat := run(t, harness.Runner{Keep: harness.KeepNothing}, s, harness.Sim)
	if len(flat.Events) != 0 {
		t.Errorf("%d events were kept", len(flat.Events))
	}
	if diff := cmp.Diff(kept.Verdicts, flat.Verdicts); diff != "" {
		t.Errorf("the verdicts depend on what is kept:\n%s", diff)
	}
	if diff := cmp.Diff(kept.Summary.Traffics(), flat.Summary.Traffics()); diff != "" {
		t.Error(diff)
	}
}

func TestRunnable(t *testing.T) {
	only := strings.Replace(refusing, "upstream app {", "upstream app { least_time header;", 1)
	s := parse(t, "x.yaml", only).Scenarios[0]
	for _, e := range []harness.Engine{harness.Sim, harness.Reference} {
		r, err := harness.Run(context.Background(), s, e)
		if r != nil || err == nil || !strings.Contains(err.Error(), `x.yaml:4:20: runs on nginx only, because "least_time header" isn't modelled`) {
			t.Errorf("%s: %v", e, err)
		}
	}
	if err := harness.Runnable(s, harness.Nginx); err != nil {
		t.Error(err)
	}
}

// An engine that isn't there is an error that a caller can tell, and neither a
// failed nor an invalid run.
func TestNoNginx(t *testing.T) {
	s := parse(t, "x.yaml", refusing).Scenarios[0]
	r, err := harness.Runner{NginxBinary: "no/such/nginx"}.Run(context.Background(), s, harness.Nginx)
	var missing *nginx.BinaryError
	if r != nil || !errors.As(err, &missing) || missing.Binary != "no/such/nginx" {
		t.Errorf("%v, %v", r, err)
	}
}

// Who interrupts a run gets what was seen so far, as a run that proves nothing.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	n := 0
	sink := event.SinkFunc(func(event.Event) {
		if n++; n == 50_000 {
			cancel()
		}
	})
	r, err := harness.Runner{Sink: sink, Keep: harness.KeepNothing}.Run(ctx, shipped(t, "slow-report").Scenarios[0], harness.Sim)
	if err != nil || r.Valid() || r.OK() || r.Invalid != "interrupted" || r.End == 0 || r.End > 50*time.Minute {
		t.Errorf("%v, %+v", err, r)
	}
	if len(r.Verdicts) == 0 || len(r.Summary.Traffics()) == 0 {
		t.Error("nothing is told of what was seen")
	}

	on, stop := context.WithCancel(context.Background())
	defer stop()
	began := time.Now()
	underWay := func(now, _ time.Duration) {
		if now > 0 {
			stop()
		}
	}
	r, err = harness.Runner{Speed: 1, Progress: underWay}.Run(on, shipped(t, "post-timeout-not-retried").Scenarios[0], harness.Reference)
	if err != nil || r.Invalid != "interrupted" || len(r.Events) == 0 {
		t.Errorf("%v, %+v", err, r)
	}
	// The order would hang for a minute.
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("took %v", took)
	}
}

func TestParseEngines(t *testing.T) {
	for list, want := range map[string]string{
		"sim": "sim", "nginx,sim": "nginx sim", " sim , reference": "sim reference", "sim,sim": "sim",
		"":     `"" is no engine, want sim, reference or nginx`,
		"sim,": `"" is no engine, want sim, reference or nginx`,
		"SIM":  `"SIM" is no engine, want sim, reference or nginx`,
	} {
		engines, err := harness.ParseEngines(list)
		var got []string
		for _, e := range engines {
			got = append(got, string(e))
		}
		if err != nil {
			got = []string{err.Error()}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q", list, got, want)
		}
	}
}

func TestLoad(t *testing.T) {
	f, err := harness.Load("../scenarios/slow-report.yaml")
	if err != nil || f.Scenarios[0].Title() != "slow-report" {
		t.Fatal(err)
	}
	var problems scenario.Problems
	if _, err := harness.Load("testdata/none.yaml"); !errors.As(err, &problems) || err.Error() != "testdata/none.yaml: no such file" {
		t.Errorf("%v", err)
	}
}
