package fault

import (
	"math"
	"time"
)

// Sight is one thing the other side of a connection sees.
type Sight struct {
	At time.Duration
	// Bytes is how many bytes of the response have arrived in all, head first.
	Bytes int64
	// End is Close or Reset when the connection ends here, 0 otherwise.
	End Op
}

// Timeline evaluates the script for a request that was sent whole at sent: it
// appends to dst what the other side sees, in order of time, until the exchange
// is over. thaw maps an instant at which the backend would act to the one at
// which it can (a frozen process acts at its thaw); the second result is false
// when it never can. A script that stalls, or echoes, just ends; one whose response has no
// length ends with the close that marks the body's end. A barrier is passed at once;
// Split says where one is.
func (s *Script) Timeline(dst []Sight, sent time.Duration, thaw func(time.Duration) (time.Duration, bool)) []Sight {
	dst, _, _ = s.run(dst, sent, thaw)
	return dst
}

// Reads is how many bytes of a request's body the script reads, math.MaxInt64 for all
// of them.
func (s *Script) Reads() int64 {
	n := int64(0)
	for i := range s.Steps {
		switch st := &s.Steps[i]; st.Op {
		case ReadAll, Echo:
			return math.MaxInt64
		case ReadBody:
			n += st.Len
		}
	}
	return n
}

// Taken is what Reads has come to by an instant, when the script begins at start and
// the whole request is there. thaw is Timeline's.
func (s *Script) Taken(start, by time.Duration, thaw func(time.Duration) (time.Duration, bool)) int64 {
	begun := Script{Response: s.Response}
	for i := range s.Steps {
		if at, ok := begun.Ends(start, thaw); !ok || at >= by {
			break
		}
		begun.Steps = s.Steps[:i+1]
	}
	return begun.Reads()
}

// run is Timeline with the instant at which the last step is over, false when it
// never is.
func (s *Script) run(dst []Sight, now time.Duration, thaw func(time.Duration) (time.Duration, bool)) ([]Sight, time.Duration, bool) {
	size, seen := s.Response.Size(), int64(0)
	for _, st := range s.Steps {
		if st.Op == Wait {
			// Also the end of a wait is something that a stopped process does late.
			now += st.For
		}
		var ok bool
		if now, ok = thaw(now); !ok || st.Op == Stall || st.Op == Echo {
			return dst, 0, false
		}
		switch st.Op {
		case Close, Reset:
			return append(dst, Sight{At: now, Bytes: seen, End: st.Op}), now, true
		case Write:
			end := size
			if st.Len >= 0 {
				end = min(seen+st.Len, size)
			}
			for seen < end {
				step := end - seen
				if st.Chunk > 0 {
					step = min(step, st.Chunk)
				}
				seen += step
				dst = append(dst, Sight{At: now, Bytes: seen})
				if seen < end && st.For > 0 {
					if now, ok = thaw(now + st.For); !ok {
						return dst, 0, false
					}
				}
			}
		}
	}
	now, ok := thaw(now)
	if ok && s.Response.End() < 0 && seen > 0 {
		dst = append(dst, Sight{At: now, Bytes: seen, End: Close})
	}
	return dst, now, ok
}
