package bind

import (
	"fmt"
	"regexp"
	"strings"
	"time"
)

var (
	number = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?$`)
	worded = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]+)$`)
)

// unitNames are ways in which people write a unit, and how it is written here.
var unitNames = map[string]string{
	"sec": "s", "secs": "s", "second": "s", "seconds": "s", "s": "s",
	"min": "m", "mins": "m", "minute": "m", "minutes": "m", "m": "m",
	"hr": "h", "hrs": "h", "hour": "h", "hours": "h", "h": "h",
	"msec": "ms", "msecs": "ms", "millis": "ms", "milliseconds": "ms", "ms": "ms",
}

// Duration parses a duration such as "60s", "1h30m" or "250ms", or 0. The
// second result is what was probably meant when it is none.
func Duration(s string) (d time.Duration, hint string, err error) {
	switch {
	case number.MatchString(s) && strings.Trim(s, "0.") != "":
		return 0, s + "s", fmt.Errorf("%s has no unit", quote(s))
	case strings.HasPrefix(s, "-"):
		return 0, "", fmt.Errorf("a duration may not be negative, got %s", quote(s))
	case strings.HasPrefix(s, "+"):
		return 0, s[1:], fmt.Errorf("want a duration such as 60s, got %s", quote(s))
	}
	d, err = time.ParseDuration(s)
	if err == nil {
		return d, "", nil
	}
	if m := worded.FindStringSubmatch(s); m != nil {
		if unit := unitNames[strings.ToLower(m[2])]; unit != "" && m[1]+unit != s {
			hint = m[1] + unit
		} else if days := strings.ToLower(m[2]); days == "d" || days == "day" || days == "days" {
			if n, err := time.ParseDuration(m[1] + "h"); err == nil && n < 1000*time.Hour {
				hint = fmt.Sprintf("%gh", n.Hours()*24)
			}
		}
	}
	return 0, hint, fmt.Errorf("want a duration such as 60s, 1h or 250ms, got %s", quote(s))
}
