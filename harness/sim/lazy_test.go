package sim_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/scenario"
)

// proxy_timeout's timer stays where it is when it would move by less than 300 ms.
func TestLazyTimerOfASession(t *testing.T) {
	const conf = `stream { upstream u { server a:80; } server { listen 9000; proxy_pass u; proxy_timeout 450ms; } }`
	for _, tt := range []struct {
		after time.Duration
		want  string
	}{
		{100 * time.Millisecond, "1.45s"}, // and not 100 ms later
		{400 * time.Millisecond, "1.85s"},
	} {
		f, err := (&fault.CloseSpec{CutSpec: fault.CutSpec{
			At: "after_header", Pause: 5 * time.Second, RespondSpec: fault.RespondSpec{After: fault.For(tt.after)},
		}}).Fault()
		if err != nil {
			t.Fatal(err)
		}
		s := incident(t, conf, map[string]fault.Rules{"a:80": {{Do: f}}},
			scenario.Traffic{Name: "x", Method: "GET", Path: "/", Load: scenario.Load{At: []time.Duration{time.Second}}})
		var got []string
		for _, e := range run(t, s) {
			if e.Kind == event.AttemptEnded {
				got = append(got, e.At.String())
			}
		}
		if diff := cmp.Diff([]string{tt.want}, got); diff != "" {
			t.Errorf("a header after %v: want -, got +\n%s", tt.after, diff)
		}
	}
}
