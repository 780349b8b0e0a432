package check

import (
	"math"
	"time"
)

// Number is what a Span may be made of in Go: a count, a share, or a time.
type Number interface{ int | Pct | time.Duration }

// Exactly allows n alone.
func Exactly[N Number](n N) Span { return Between(n, n) }

// AtLeast allows n and more.
func AtLeast[N Number](n N) Span {
	v, u := value(n)
	return Span{Lo: v, Hi: math.Inf(1), Unit: u, Set: true}
}

// AtMost allows n and less.
func AtMost[N Number](n N) Span {
	v, u := value(n)
	return Span{Hi: v, Unit: u, Set: true}
}

// MoreThan allows what is greater than n.
func MoreThan[N Number](n N) Span {
	s := AtLeast(n)
	s.LoOpen = true
	return s
}

// LessThan allows what is smaller than n.
func LessThan[N Number](n N) Span {
	s := AtMost(n)
	s.HiOpen = true
	return s
}

// Between allows lo, hi and what lies between them.
func Between[N Number](lo, hi N) Span {
	l, u := value(lo)
	h, _ := value(hi)
	return Span{Lo: l, Hi: h, Unit: u, Set: true}
}

// Around allows what is at most tolerance away from n.
func Around[N Number](n, tolerance N) Span {
	v, u := value(n)
	t, _ := value(tolerance)
	return Span{Unit: u, Set: true}.tolerate(v, t)
}

func value[N Number](n N) (float64, Unit) {
	switch n := any(n).(type) {
	case Pct:
		return float64(n) / 100, Percent
	case time.Duration:
		return n.Seconds(), Seconds
	case int:
		return float64(n), Count
	}
	panic("unreachable: Number has three types")
}
