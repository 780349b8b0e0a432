package check

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
