package check

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// Span is the set of numbers that an expectation allows: an interval, each end
// open or closed. The zero value allows only 0.
//
// In a scenario it is a number, a comparison (">= 1"), a range ("2..4",
// "12%..21%", "60s..62s") or a value with a tolerance ("60s ±1s").
type Span struct {
	Lo, Hi         float64
	LoOpen, HiOpen bool
	// Unit says how the numbers read: a plain count, a share in 0..1 written
	// as percent, or seconds written as a duration.
	Unit Unit
	// Set is false for a Span that a scenario didn't give.
	Set bool
}

// Unit says what a Span's numbers are.
type Unit uint8

// The units.
const (
	Count   Unit = iota
	Percent      // 0..1, written 12%
	Seconds      // written as a duration
)

// Has says whether v is allowed.
func (s Span) Has(v float64) bool {
	return (v > s.Lo || v == s.Lo && !s.LoOpen) && (v < s.Hi || v == s.Hi && !s.HiOpen)
}

// miss is how far v seconds are from what is allowed, 0 when they are allowed.
func (s Span) miss(v float64) time.Duration {
	if s.Has(v) {
		return 0
	}
	off := max(s.Lo-v, v-s.Hi) // 0 on an open end
	return max(time.Duration(off*float64(time.Second)), 1)
}

// above says whether v lies beyond the span's upper end.
func (s Span) above(v float64) bool { return v > s.Hi || v == s.Hi && s.HiOpen }

// String is the span as one would write it; ParseSpan is its inverse.
func (s Span) String() string {
	lo, hi := s.Unit.format(s.Lo), ""
	if !math.IsInf(s.Hi, 1) {
		hi = s.Unit.format(s.Hi)
	}
	switch {
	case s.Lo == s.Hi:
		return lo
	case hi == "" && s.LoOpen:
		return "> " + lo
	case hi == "":
		return ">= " + lo
	case s.Lo == 0 && !s.LoOpen && s.HiOpen:
		return "< " + hi
	case s.Lo == 0 && !s.LoOpen:
		return "<= " + hi
	case s.LoOpen || s.HiOpen:
		// A scenario can't say this, and no constructor makes it.
		return fmt.Sprintf("between %s and %s", lo, hi)
	}
	return lo + ".." + hi
}

// ParseSpan reads a span whose numbers are of the given unit. It refuses what
// no number could satisfy.
func ParseSpan(text string, unit Unit) (Span, error) {
	s := Span{Unit: unit, Set: true}
	text = strings.TrimSpace(text)
	if text == "" {
		return Span{}, fmt.Errorf("nothing is written: want %s, a comparison or a range", unit)
	}
	if op, rest := operator(text); op != "" {
		v, err := unit.parse(rest)
		if err != nil {
			return Span{}, err
		}
		return s.compare(op, v)
	}
	if lo, hi, ok := strings.Cut(text, ".."); ok {
		return s.bounds(strings.TrimSpace(lo), strings.TrimSpace(hi))
	}
	for _, sign := range []string{"±", "+/-", "+-"} {
		if mid, tol, ok := strings.Cut(text, sign); ok {
			return s.around(strings.TrimSpace(mid), strings.TrimSpace(tol))
		}
	}
	v, err := unit.parse(text)
	if err != nil {
		return Span{}, err
	}
	s.Lo, s.Hi = v, v
	return s, nil
}

// UnmarshalText reads a span whose unit is told by how it is written; Validate
// of the check compares it with the unit that the key wants.
func (s *Span) UnmarshalText(text []byte) (err error) {
	*s, err = ParseSpan(string(text), guess(string(text)))
	return err
}

// operator splits a comparison.
func operator(text string) (op, rest string) {
	for _, o := range [...]struct{ written, op string }{
		{">=", ">="}, {"<=", "<="}, {"≥", ">="}, {"≤", "<="}, {">", ">"}, {"<", "<"},
	} {
		if rest, ok := strings.CutPrefix(text, o.written); ok {
			return o.op, strings.TrimSpace(rest)
		}
	}
	return "", text
}

func (s Span) compare(op string, v float64) (Span, error) {
	switch op {
	case ">":
		s.Lo, s.LoOpen, s.Hi = v, true, math.Inf(1)
		if s.Unit == Percent && v >= 1 {
			return Span{}, fmt.Errorf("%q allows nothing: no share is above 100%%", s.String())
		}
	case ">=":
		s.Lo, s.Hi = v, math.Inf(1)
	case "<":
		s.Hi, s.HiOpen = v, true
		if v == 0 {
			return Span{}, fmt.Errorf("\"< %s\" allows nothing: write %[1]s", s.Unit.format(0))
		}
	case "<=":
		s.Hi = v
	}
	return s, nil
}

func (s Span) bounds(lo, hi string) (Span, error) {
	// 12..21% means what it seems to mean.
	if s.Unit == Percent && strings.HasSuffix(hi, "%") && lo != "" && !strings.HasSuffix(lo, "%") {
		lo += "%"
	}
	var err error
	if s.Lo, err = s.Unit.parse(lo); err != nil {
		return Span{}, err
	}
	if s.Hi, err = s.Unit.parse(hi); err != nil {
		return Span{}, err
	}
	if s.Lo > s.Hi {
		return Span{}, fmt.Errorf("%s..%s is empty: write %[2]s..%[1]s", lo, hi)
	}
	return s, nil
}

func (s Span) around(mid, tol string) (Span, error) {
	if err := relative(mid, tol); err != nil {
		return Span{}, err
	}
	m, err := s.Unit.parse(mid)
	if err != nil {
		return Span{}, err
	}
	t, err := s.Unit.parse(tol)
	if err != nil {
		return Span{}, fmt.Errorf("tolerance %w", err)
	}
	return s.tolerate(m, t), nil
}

// relative says what to write for a tolerance that is a part of its value, nil when it
// isn't: a tolerance has the unit of the value.
func relative(mid, tol string) error {
	unit := guess(mid)
	if unit == Percent || !strings.HasSuffix(tol, "%") {
		return nil
	}
	part, err := Percent.parse(tol)
	if err != nil {
		return err
	}
	m, err := unit.parse(mid)
	if err != nil {
		return err
	}
	by := part * m
	if unit == Count {
		by = math.Round(by)
	}
	write := fmt.Sprintf("%s ±%s", mid, unit.format(by))
	if share := mid + "% ±" + tol; unit == Count && m <= 100 {
		if write += ", or " + share + " of a share"; by == 0 {
			write = share + " of a share"
		}
	}
	return fmt.Errorf("\"%s ±%s\" has a tolerance of another unit: write %s", mid, tol, write)
}

// tolerate centres the span. Nothing that is counted or measured is negative.
func (s Span) tolerate(mid, tol float64) Span {
	// Seconds are rounded to nanoseconds and shares to ten digits of a percent,
	// so that 0.3s ±0.1s is exactly 0.2s..0.4s.
	round := func(v float64) float64 {
		if s.Unit == Percent {
			return math.Round(v*1e12) / 1e10 / 100
		}
		return math.Round(v*1e9) / 1e9
	}
	s.Lo, s.Hi = max(round(mid-tol), 0), round(mid+tol)
	return s
}
