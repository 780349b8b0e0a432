package upstream

// bitmap is the set of peers a request has tried in its current half of the
// group. The first 64 need no memory of their own, so a fresh Request picks
// from a usual group without allocating.
type bitmap struct {
	low  uint64
	high []uint64
}

func (b *bitmap) has(i int) bool {
	if i < 64 {
		return b.low&(1<<i) != 0
	}
	i -= 64
	return len(b.high) > i/64 && b.high[i/64]&(1<<(i%64)) != 0
}

func (b *bitmap) add(i int) {
	if i < 64 {
		b.low |= 1 << i
		return
	}
	i -= 64
	for len(b.high) <= i/64 {
		b.high = append(b.high, 0)
	}
	b.high[i/64] |= 1 << (i % 64)
}

// emptied returns the empty set in b's memory.
func (b *bitmap) emptied() bitmap { return bitmap{high: b.high[:0]} }
