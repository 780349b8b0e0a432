package form

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nolive/nolive/backends/fault"
)

// Rules is a backend's list of rules.
type Rules []Rule

// Rule says what a backend does, and when.
type Rule struct {
	// When selects requests, connections or a window of time; default always.
	When When `yaml:"when"`
	// Do is one fault, or a list of steps.
	Do Do `yaml:"do" jsonschema:"required"`
}

// When selects exchanges; every key that is given must hold.
type When struct {
	// Method of the request, "POST".
	Method string `yaml:"method"`
	// Path is a glob; a * at its end matches the rest, "/reports/*".
	Path string `yaml:"path"`
	// Header maps a header's name to a glob on its value.
	Header map[string]*Word `yaml:"header"`
	// From is the scenario time at which the window opens; default 0.
	From time.Duration `yaml:"from"`
	// Until is the scenario time at which the window closes; default never.
	Until time.Duration `yaml:"until"`
	// Lasts is how long the window stays open, instead of until or within it.
	Lasts time.Duration `yaml:"lasts"`
	// Repeats is after how long the window opens again, until it closes for good.
	Repeats time.Duration `yaml:"repeats"`
	// Request is the n-th request on this backend, or a range "1..2".
	Request Range `yaml:"request"`
	// Every is each n-th request on this backend.
	Every int `yaml:"every" jsonschema:"minimum=1,maximum=1000000000"`
	// Connection is the n-th connection on this backend, or a range.
	Connection Range `yaml:"connection"`
	// Exchange is the n-th request on its connection, or a range.
	Exchange Range `yaml:"exchange"`
	// Share of the requests, "10%", drawn by the seed.
	Share Share `yaml:"share"`
}

// Range is a count or a range of counts, from 1.
type Range fault.Range

// UnmarshalText parses "3", "1..2" or "3..".
func (r *Range) UnmarshalText(text []byte) error {
	lo, hi, ranged := strings.Cut(string(text), "..")
	from, err := strconv.Atoi(strings.TrimSpace(lo))
	to := from
	if err == nil && ranged {
		if to = 0; strings.TrimSpace(hi) != "" {
			to, err = strconv.Atoi(strings.TrimSpace(hi))
			if err == nil && to < from {
				return mistake{fmt.Errorf("the range %s is empty", short(text)), fmt.Sprintf("%d..%d", to, from)}
			}
		}
	}
	if err != nil {
		return fmt.Errorf("want a number such as 3, or a range such as 1..2, got %q", short(text))
	}
	if from < 1 {
		return fmt.Errorf("want a number from 1, got %s", short(text))
	}
	*r = Range{From: from, To: to}
	return nil
}

// Share is a share above 0 and up to 1.
type Share float64

// UnmarshalText parses "10%".
func (s *Share) UnmarshalText(text []byte) error {
	digits, ok := strings.CutSuffix(string(text), "%")
	n, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
	switch {
	case err != nil:
		return fmt.Errorf("want a share such as 10%%, got %q", short(text))
	case !ok:
		hint := digits + "%"
		if n > 0 && n < 1 {
			hint = strconv.FormatFloat(n*100, 'g', 6, 64) + "%"
		}
		return mistake{fmt.Errorf("want a share such as 10%%, got %q", short(text)), hint}
	case !(n > 0 && n <= 100):
		return fmt.Errorf("a share lies above 0%% and up to 100%%, got %s", short(text))
	}
	*s = Share(n / 100)
	return nil
}

// Do is one fault, or a list of steps.
type Do struct{ Fault fault.Fault }

// Headers are header lines in order.
type Headers []fault.Header
