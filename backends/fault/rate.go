package fault

import (
	"fmt"
	"strings"
	"time"
)

// Rate is a number of bytes per second of scenario time, written as a size,
// with or without "/s".
type Rate int64

// ratePiece is how often a rate lets a piece go.
const ratePiece = 100 * time.Millisecond

// maxPieces bounds how many pieces a response is cut into.
const maxPieces = 1 << 20

// UnmarshalText parses a rate.
func (r *Rate) UnmarshalText(text []byte) error {
	var s Size
	if err := s.UnmarshalText([]byte(strings.TrimSuffix(string(text), "/s"))); err != nil {
		return fmt.Errorf("%q is no rate; want a size per second, as in 256KiB/s", text)
	}
	*r = Rate(s)
	return nil
}

// MarshalText is the inverse of UnmarshalText; it never fails.
func (r Rate) MarshalText() ([]byte, error) { return []byte(Size(r).String() + "/s"), nil }

// step writes the rest of the response at the rate: every tenth of a second a
// piece, or a byte each where that is more than the rate allows.
func (r Rate) step() Step {
	st := Step{Op: Write, Len: -1}
	if r > 0 {
		st.Chunk = max(1, int64(r)/int64(time.Second/ratePiece))
		st.For = time.Duration(float64(st.Chunk) / float64(r) * float64(time.Second))
	}
	return st
}

// check says why so many bytes can't go out at the rate.
func (r Rate) check(size int64) error {
	if r < 0 {
		return fmt.Errorf("rate: %d is less than 0", r)
	}
	if r == 0 {
		return nil
	}
	st := r.step()
	n := size / st.Chunk
	if n > maxPieces {
		return fmt.Errorf("rate: %d pieces are more than %d", n, maxPieces)
	}
	if float64(n)*float64(st.For) > float64(maxSpan) {
		return fmt.Errorf("rate: %d pieces take longer than %v", n, maxSpan)
	}
	return nil
}
