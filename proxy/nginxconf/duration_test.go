package nginxconf

import (
	"math"
	"testing"
	"time"
)

const bad = -1 // no time

// durations are times in both of nginx's readings.
var durations = []struct {
	in       string
	ms, secs time.Duration
}{
	{"90", 90 * time.Second, 90 * time.Second}, {"0", 0, 0}, {"1h30m", 90 * time.Minute, 90 * time.Minute},
	{"1m 30s", 90 * time.Second, 90 * time.Second}, {"1m30", 90 * time.Second, 90 * time.Second}, {"1 ", time.Second, time.Second}, {"1 2", 3 * time.Second, 3 * time.Second},
	{"500ms", 500 * time.Millisecond, bad}, {"1s500ms", 1500 * time.Millisecond, bad}, {"2d", 48 * time.Hour, 48 * time.Hour}, {"1w", 168 * time.Hour, 168 * time.Hour},
	{"1M", bad, 720 * time.Hour}, {"1y", bad, 8760 * time.Hour},
	{"", bad, bad}, {"s", bad, bad}, {"1x", bad, bad}, {"1.5s", bad, bad}, {"-1", bad, bad}, {"1s1m", bad, bad}, {"1h1h", bad, bad}, {"1S", bad, bad}, {" 1", time.Second, time.Second}, {"1ms2", 2001 * time.Millisecond, bad}, {"1hm", time.Hour, time.Hour},
	{"99999999999999999999", bad, bad}, {"9223372036854775807", bad, math.MaxInt64 / time.Second * time.Second},
}

func TestDuration(t *testing.T) {
	for _, c := range durations {
		for w, want := range map[wholeness]time.Duration{milliseconds: c.ms, seconds: c.secs} {
			got, ok := duration(c.in, w)
			if !ok {
				got = bad
			}
			if got != want {
				t.Errorf("%q (%d): %v, want %v", c.in, w, got, want)
			}
		}
	}
	if d, ok := duration("9223372036854775", milliseconds); !ok || d <= 0 {
		t.Errorf("a time longer than Go's longest: %v %v", d, ok)
	}
}

func TestSize(t *testing.T) {
	for in, want := range map[string]int64{
		"0": 0, "10": 10, "4k": 4096, "4K": 4096, "1m": 1 << 20, "1M": 1 << 20, "1g": -1, "": -1, "k": -1, "4 k": -1, "-1": -1, "99999999999999999m": -1,
	} {
		if got := size(in, "km"); got != want {
			t.Errorf("%q: %d, want %d", in, got, want)
		}
	}
	if got := size("2G", "kmg"); got != 2<<30 {
		t.Errorf("2G: %d", got)
	}
}
