package bind

import (
	"testing"
	"time"
)

func TestDuration(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"0": 0, "0s": 0, "60s": time.Minute, "1h30m": 90 * time.Minute, "250ms": 250 * time.Millisecond, "1.5s": 1500 * time.Millisecond,
	} {
		if got, hint, err := Duration(text); got != want || hint != "" || err != nil {
			t.Errorf("%q: got %v, %q, %v", text, got, hint, err)
		}
	}
	for text, want := range map[string]string{
		"60": "60s", "2.5": "2.5s", "60 sec": "60s", "60sec": "60s", "5 Minutes": "5m", "2 hrs": "2h", "100msecs": "100ms",
		"2d": "48h", "1 day": "24h", "+5s": "5s", "-5s": "", "": "", "s": "", "99999999999h": "", "1w": "", "ten seconds": "",
		"60 fortnights": "", "1e3s": "", "NaNs": "", "99999999999d": "",
	} {
		if got, hint, err := Duration(text); got != 0 || hint != want || err == nil {
			t.Errorf("%q: got %v, %q, %v, want the hint %q", text, got, hint, err, want)
		}
	}
}
