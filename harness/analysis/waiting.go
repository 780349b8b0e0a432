package analysis

import "time"

// grace is how long an exchange that only lacks ProxyAnswered is kept, in
// scenario time. The proxy's log may be read long after the client had its
// answer, at thirty times real speed above all; but a proxy that never says it
// must not cost memory either.
const grace = 60 * time.Second

// waiting lists such exchanges, the one that waits longest first.
type waiting struct{ head, tail *flight }

func (w *waiting) push(f *flight, now time.Duration) {
	if f.listed {
		return
	}
	f.listed, f.since, f.prev, f.next = true, now, w.tail, nil
	if w.tail == nil {
		w.head = f
	} else {
		w.tail.next = f
	}
	w.tail = f
}

func (w *waiting) remove(f *flight) {
	if !f.listed {
		return
	}
	if f.prev == nil {
		w.head = f.next
	} else {
		f.prev.next = f.next
	}
	if f.next == nil {
		w.tail = f.prev
	} else {
		f.next.prev = f.prev
	}
	f.listed, f.prev, f.next = false, nil, nil
}

// due returns the first one whose grace is over, nil for none.
func (w *waiting) due(now time.Duration) *flight {
	if w.head != nil && now-w.head.since > grace {
		return w.head
	}
	return nil
}
