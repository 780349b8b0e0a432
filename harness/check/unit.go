package check

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Pct is a share in percent for the constructors of Span: Exactly(Pct(0)).
type Pct float64

// guess tells the unit from how a value is written: 12% is a share, 60s a
// duration, 4 a count. The unit that a key wants is compared afterwards, so
// that the message can say what to write instead.
func guess(text string) Unit {
	switch {
	case strings.Contains(text, "%"):
		return Percent
	case strings.ContainsAny(text, "hmsuµ"):
		return Seconds
	}
	return Count
}

// String is the unit in a sentence: "want a count".
func (u Unit) String() string {
	switch u {
	case Percent:
		return "a share such as 12%"
	case Seconds:
		return "a duration such as 60s"
	}
	return "a count such as 4"
}

// parse reads one number of the unit.
func (u Unit) parse(text string) (float64, error) {
	switch u {
	case Percent:
		number, ok := strings.CutSuffix(text, "%")
		v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		switch {
		case err == nil && !ok && v > 100:
			return 0, fmt.Errorf("%q is no share: 0%% to 100%% is possible", text)
		case err == nil && !ok:
			return 0, fmt.Errorf("%q has no unit: write %s%%", text, text)
		case err != nil || math.IsNaN(v) || math.IsInf(v, 0):
			return 0, fmt.Errorf("%q is no share: write it as 12%%", text)
		case v < 0 || v > 100:
			return 0, fmt.Errorf("%q is no share: 0%% to 100%% is possible", text)
		}
		return math.Abs(v) / 100, nil
	case Seconds:
		if v, err := strconv.ParseFloat(text, 64); err == nil && v != 0 {
			return 0, fmt.Errorf("%q has no unit: write %ss", text, text)
		} else if err == nil {
			return 0, fmt.Errorf("%q has no unit: write 0s", text)
		}
		d, err := time.ParseDuration(text)
		switch {
		case err != nil:
			return 0, fmt.Errorf("%q is no duration: write it as 60s, 1m30s or 250ms", text)
		case d < 0:
			return 0, fmt.Errorf("%q is negative", text)
		}
		return d.Seconds(), nil
	}
	n, err := strconv.ParseUint(text, 10, 53)
	if err == nil {
		return float64(n), nil
	}
	if v, err := strconv.ParseFloat(text, 64); err == nil && v < 0 {
		return 0, fmt.Errorf("%q is negative", text)
	} else if err == nil {
		return 0, fmt.Errorf("%q is no whole number", text)
	}
	if g := guess(text); g != Count {
		if _, err := g.parse(text); err == nil {
			return 0, fmt.Errorf("%q is %s, want a count such as 4", text, map[Unit]string{Percent: "a share", Seconds: "a duration"}[g])
		}
	}
	return 0, fmt.Errorf("%q is no number", text)
}

// format is the inverse of parse.
func (u Unit) format(v float64) string {
	switch u {
	case Percent:
		// Ten digits are more than anyone writes and fewer than the error of *100.
		return strconv.FormatFloat(math.Round(v*1e12)/1e10, 'f', -1, 64) + "%"
	case Seconds:
		return written(time.Duration(math.Round(v * 1e9)))
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// written is a duration as one would write it in a scenario: seconds up to ten
// minutes, since 60s..62s reads better than 1m..1m2s.
func written(d time.Duration) string {
	switch {
	case d == 0:
		return "0s"
	case d < time.Second:
		return d.String()
	case d < 10*time.Minute:
		// Not through a float, which turns 1.477s into 1.4769999999999999s.
		s := fmt.Sprintf("%d.%09d", d/time.Second, d%time.Second)
		return strings.TrimRight(strings.TrimRight(s, "0"), ".") + "s"
	}
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
