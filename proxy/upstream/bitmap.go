package upstream

// bitmap is the set of peers a request has tried in its current half of the group.
type bitmap []uint64

func (b bitmap) has(i int) bool { return len(b) > i/64 && b[i/64]&(1<<(i%64)) != 0 }

// with adds i, growing b as needed, and returns it.
func (b bitmap) with(i int) bitmap {
	for len(b) <= i/64 {
		b = append(b, 0)
	}
	b[i/64] |= 1 << (i % 64)
	return b
}
