package backends

import (
	"context"
	"sync"
)

// Board is where the backends of a run tell each other how many requests they
// have read, for barriers. The zero value is ready for use.
type Board struct {
	mu      sync.Mutex
	got     map[string]int
	changed chan struct{} // closed at the next change, nil without anybody who waits
}

// note counts a request that a backend has read.
func (b *Board) note(backend string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.got == nil {
		b.got = map[string]int{}
	}
	b.got[backend]++
	if b.changed != nil {
		close(b.changed)
		b.changed = nil
	}
}

// wait waits until a backend has read n requests; false when ctx ended first.
func (b *Board) wait(ctx context.Context, backend string, n int) bool {
	for {
		b.mu.Lock()
		met := b.got[backend] >= n
		if !met && b.changed == nil {
			b.changed = make(chan struct{})
		}
		changed := b.changed
		b.mu.Unlock()
		if met {
			return true
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		}
	}
}
