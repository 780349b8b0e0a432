package analysis

// traffic holds the requests of one traffic that are in flight, by number.
// It is an open-addressing table, since a Go map that is filled and emptied all
// the time allocates now and then, and this runs once an event.
type traffic struct {
	slots []*flight // length a power of two, at most half full
	used  int
	shift uint // 64 - log2(len(slots))
	seen  recent
}

func newTraffic() *traffic { return &traffic{slots: make([]*flight, 16), shift: 60} }

// home is the slot where n belongs. Numbers come in sequence; multiplying
// spreads them, so that those in flight for long don't pile up.
func (t *traffic) home(n int) int { return int(uint64(n) * 0x9e3779b97f4a7c15 >> t.shift) }

func (t *traffic) get(n int) *flight {
	mask := len(t.slots) - 1
	for i := t.home(n); ; i = (i + 1) & mask {
		if f := t.slots[i]; f == nil || f.x.Request.N == n {
			return f
		}
	}
}

func (t *traffic) put(f *flight) {
	if 2*(t.used+1) > len(t.slots) {
		old := t.slots
		t.slots = make([]*flight, 2*len(old))
		t.shift--
		for _, g := range old {
			if g != nil {
				t.place(g)
			}
		}
	}
	t.place(f)
	t.used++
}

func (t *traffic) place(f *flight) {
	mask := len(t.slots) - 1
	i := t.home(f.x.Request.N)
	for t.slots[i] != nil {
		i = (i + 1) & mask
	}
	t.slots[i] = f
}

// remove takes n out and moves up what probing had pushed behind it, so that
// there are no tombstones to clean up.
func (t *traffic) remove(n int) {
	mask := len(t.slots) - 1
	i := t.home(n)
	for ; t.slots[i] == nil || t.slots[i].x.Request.N != n; i = (i + 1) & mask {
		if t.slots[i] == nil {
			return
		}
	}
	t.used--
	for j := (i + 1) & mask; t.slots[j] != nil; j = (j + 1) & mask {
		// j may move to i unless its home lies in (i, j].
		if h := t.home(t.slots[j].x.Request.N); (j-h)&mask >= (j-i)&mask {
			t.slots[i], i = t.slots[j], j
		}
	}
	t.slots[i] = nil
}

// window is how many numbers back an event can be told to be late or early.
const window = 8192

// recent remembers which of the last numbers had an exchange, one bit each.
// It tells an event that came before its request's RequestSent (two sources,
// slightly inverted) from one that came after its exchange was complete.
type recent struct {
	bits [window / 64]uint64
	top  int // highest number so far
}

func (r *recent) has(n int) bool {
	return n <= r.top-window || n <= r.top && r.bits[n%window/64]&(1<<(n%64)) != 0
}

func (r *recent) add(n int) {
	if n > r.top {
		if n-r.top >= window {
			clear(r.bits[:])
		} else {
			for m := r.top + 1; m < n; m++ {
				r.bits[m%window/64] &^= 1 << (m % 64)
			}
		}
		r.top = n
	}
	if n > r.top-window {
		r.bits[n%window/64] |= 1 << (n % 64)
	}
}
