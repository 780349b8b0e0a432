package cases

import "time"

// dice draw from a seed. It is splitmix64, written out so that a seed means the
// same case whatever the version of Go.
type dice struct{ state uint64 }

func newDice(seed uint64, redraw int) *dice {
	d := &dice{state: seed}
	d.next()
	d.state += uint64(redraw) * 0xd1342543de82ef95
	d.next()
	return d
}

func (d *dice) next() uint64 {
	d.state += 0x9e3779b97f4a7c15
	x := d.state
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// below is a number in [0, n).
func (d *dice) below(n int) int { return int(d.next() >> 33 % uint64(n)) }

// between is a number in [lo, hi].
func (d *dice) between(lo, hi int) int { return lo + d.below(hi-lo+1) }

// chance is true in so many of a hundred cases.
func (d *dice) chance(percent int) bool { return d.below(100) < percent }

// of picks one of a list.
func of[T any](d *dice, list ...T) T { return list[d.below(len(list))] }

// choice is a thing with its weight.
type choice[T any] struct {
	weight int
	thing  T
}

// weighed picks one of a list by weight.
func weighed[T any](d *dice, list []choice[T]) T {
	sum := 0
	for _, c := range list {
		sum += c.weight
	}
	n := d.below(sum)
	for _, c := range list {
		if n -= c.weight; n < 0 {
			return c.thing
		}
	}
	panic("cases: a list without weight")
}

// ms is so many milliseconds.
func ms(n int) time.Duration { return time.Duration(n) * time.Millisecond }
