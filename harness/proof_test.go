package harness

import (
	"testing"
	"time"

	"github.com/nolive/nolive/harness/check"
)

// A time that was missed by less than the run's own timing was off decides nothing.
func TestUndecided(t *testing.T) {
	ok := check.Verdict{OK: true}
	near := check.Verdict{Check: "latency: {of: r, max: < 2s}", Missed: 134 * time.Millisecond}
	far := check.Verdict{Check: "far", Missed: 3 * time.Second}
	status := check.Verdict{Check: "status"}
	for _, tt := range []struct {
		name     string
		verdicts []check.Verdict
		want     string
	}{
		{"all hold", []check.Verdict{ok}, ""},
		{"near", []check.Verdict{ok, near}, "latency: {of: r, max: < 2s} was missed by 134ms only, and this run's own timing was off by up to 461ms"},
		{"far", []check.Verdict{near, far}, ""},
		{"something else failed too", []check.Verdict{near, status}, ""},
	} {
		if got := undecided(tt.verdicts, 461*time.Millisecond); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
