package report

import (
	"strings"
	"time"
)

// Duration writes a duration for people: no more digits than they can use.
func Duration(d time.Duration) string {
	switch {
	case d >= 10*time.Second || d <= -10*time.Second:
		d = d.Round(100 * time.Millisecond)
	case d >= time.Second || d <= -time.Second:
		d = d.Round(10 * time.Millisecond)
	case d >= time.Millisecond:
		d = d.Round(100 * time.Microsecond)
	default:
		d = d.Round(time.Microsecond)
	}
	s := d.String()
	// "1h0m0s" and "7m0s" read better as "1h" and "7m".
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
