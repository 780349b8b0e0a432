package fault

import (
	"hash/fnv"
)

// Draw is a number in [0, 1) that depends on nothing but its key: seed and
// parts. After the plan nothing else is random, so the order of goroutines
// can't change a result and every engine draws the same.
func Draw(seed uint64, parts ...string) float64 {
	h := fnv.New64a()
	var b [8]byte
	for i := range b {
		b[i] = byte(seed >> (8 * i))
	}
	h.Write(b[:])
	for _, p := range parts {
		h.Write([]byte(p))
		h.Write([]byte{0}) // so that ("ab", "c") isn't ("a", "bc")
	}
	// FNV's high bits are weak for short keys; splitmix64's finaliser spreads them.
	x := h.Sum64()
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	x ^= x >> 31
	return float64(x>>11) / (1 << 53)
}
