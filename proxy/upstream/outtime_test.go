package upstream_test

import (
	"testing"
	"time"

	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/upstream"

	"pgregory.net/rapid"
)

// TestOutTime finds, to the nanosecond, when a marked peer may be picked again:
// at the whole second after fail_timeout, so after more than fail_timeout and at
// most one second more.
func TestOutTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		failTimeout := time.Duration(rapid.IntRange(0, 30).Draw(t, "fail_timeout")) * time.Second
		failed := time.Duration(rapid.Int64Range(0, int64(100*time.Second)).Draw(t, "failed"))
		a, b := upstream.NewServer("a"), upstream.NewServer("b")
		a.FailTimeout = failTimeout
		g := upstream.NewGroup(upstream.Config{Name: "u", Servers: []upstream.Server{a, b}}, event.Discard)
		var r upstream.Request
		r.Begin(g, nil, upstream.Arrival{Method: "GET"}, 0)
		r.Fail(failed, event.Reset)
		out := func(at time.Duration) bool { return g.State(at)[0].Out }
		// The last instant that is out, by bisection.
		lo, hi := failed, failed+failTimeout+2*time.Second
		if !out(lo) || out(hi) {
			t.Fatalf("out just after the failure: %v, 2 s late: %v", out(lo), out(hi))
		}
		for hi-lo > 1 {
			if mid := lo + (hi-lo)/2; out(mid) {
				lo = mid
			} else {
				hi = mid
			}
		}
		if long := hi - failed; long <= failTimeout || long > failTimeout+time.Second || hi%time.Second != 0 {
			t.Fatalf("failed at %v, back at %v, after %v", failed, hi, long)
		}
	})
}
