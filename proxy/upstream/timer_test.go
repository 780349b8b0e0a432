package upstream_test

import (
	"testing"
	"time"

	"github.com/nolive/nolive/proxy/upstream"
)

// A timer moves by 300 ms or not at all.
func TestTimerIsLazy(t *testing.T) {
	const ms = time.Millisecond
	var timer upstream.Timer
	for _, c := range []struct{ now, d, want time.Duration }{
		{0, 600 * ms, 600 * ms},
		{200 * ms, 600 * ms, 600 * ms},
		{299 * ms, 600 * ms, 600 * ms},
		{300 * ms, 600 * ms, 900 * ms},
		{301 * ms, 300 * ms, 900 * ms}, // 299 ms back
		{310 * ms, 200 * ms, 510 * ms}, // 390 ms back
		{310 * ms, 1000 * ms, 1310 * ms},
	} {
		if timer.Add(c.now, c.d); timer.At() != c.want {
			t.Errorf("at %v for %v: %v, want %v", c.now, c.d, timer.At(), c.want)
		}
	}
}
