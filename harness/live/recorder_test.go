package live

import (
	"testing"
	"time"

	"github.com/nolive/nolive/harness/event"
)

// What was recorded comes back as it came, and never moves while more is added.
func TestRecorderNeverMoves(t *testing.T) {
	var r recorder
	const n = 10*piece + 1
	for i := range n {
		r.Emit(event.Event{At: time.Duration(i)})
		if i == 0 {
			continue
		}
		if last := r.pieces[len(r.pieces)-1]; cap(last) != piece {
			t.Fatalf("after %d events a piece has room for %d, want %d", i+1, cap(last), piece)
		}
	}
	all := r.all()
	if len(all) != n {
		t.Fatalf("%d events, want %d", len(all), n)
	}
	for i, e := range all {
		if e.At != time.Duration(i) {
			t.Fatalf("event %d is that of %d", i, e.At)
		}
	}
}
