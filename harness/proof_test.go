package harness

import (
	"testing"
	"time"

	"github.com/nolive/nolive/harness/check"
	"github.com/nolive/nolive/harness/clock"
	"github.com/nolive/nolive/harness/live"
	"github.com/nolive/nolive/harness/scenario"
)

// A time that was missed by less than the run's own timing was off decides nothing,
// and nothing does that failed on a machine that stood still for too long.
func TestUndecided(t *testing.T) {
	ms := time.Millisecond
	ok := check.Verdict{OK: true}
	near := check.Verdict{Check: "latency: {of: r, max: < 2s}", Missed: 134 * ms}
	far := check.Verdict{Check: "far", Missed: 3 * time.Second}
	status := check.Verdict{Check: "status"}
	const byLittle = "latency: {of: r, max: < 2s} was missed by 134ms only, and this run's own timing was off by up to 461ms"
	for _, tt := range []struct {
		name     string
		verdicts []check.Verdict
		stall    time.Duration
		want     string
	}{
		{"all hold", []check.Verdict{ok}, 0, ""},
		{"all hold all the same", []check.Verdict{ok}, 2400 * ms, ""},
		{"near", []check.Verdict{ok, near}, 0, byLittle},
		{"far", []check.Verdict{near, far}, 0, ""},
		{"something else failed too", []check.Verdict{near, status}, 0, ""},
		{"something failed, and the machine stood still", []check.Verdict{ok, status}, 2400 * ms, "status failed, and the machine stood still for 2.4s meanwhile"},
		{"near, something failed, and the machine stood still", []check.Verdict{near, status}, 2400 * ms, byLittle},
	} {
		if got := undecided(tt.verdicts, timing{off: 461 * ms, stall: tt.stall}); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// How far a run's timing was off is all that was late in it; a stall counts by
// itself beyond what the scenario tolerates.
func TestTimingOf(t *testing.T) {
	ms := time.Millisecond
	late := func(d time.Duration) clock.Jitter { return clock.Jitter{Count: 1, Max: d} }
	out := &live.Outcome{Send: late(ms), Wait: late(20 * ms), Stall: late(300 * ms)}
	for _, tt := range []struct {
		jitter time.Duration
		want   timing
	}{
		{300 * ms, timing{off: 4321 * ms}},
		{299 * ms, timing{off: 4321 * ms, stall: 300 * ms}},
		{0, timing{off: 4321 * ms}}, // scenario.DefaultJitter
	} {
		if got := timingOf(&scenario.Scenario{Jitter: tt.jitter}, out, 4*time.Second); got != tt.want {
			t.Errorf("jitter %v: %+v, want %+v", tt.jitter, got, tt.want)
		}
	}
}
