package admin

import (
	"sync"

	"github.com/nolive/nolive/backends"
	"github.com/nolive/nolive/backends/client"
)

// kept is how many entries of a backend's log are kept for those who read it late.
const kept = 1 << 16

// journal is a backend's log: the last entries, and a bell for those who follow.
type journal struct {
	mu     sync.Mutex
	ring   []backends.Entry // grows up to kept, then the oldest is written over
	next   int              // the number of the next entry, from 1
	bell   chan struct{}    // closed at the next entry; nil while nobody waits
	closed bool
}

var _ backends.Log = (*journal)(nil)

func newJournal() *journal { return &journal{next: 1} }

// Note takes an entry in.
func (j *journal) Note(e backends.Entry) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.ring) < kept {
		j.ring = append(j.ring, e)
	} else {
		j.ring[(j.next-1)%kept] = e
	}
	j.next++
	j.ringBell()
}

func (j *journal) ringBell() {
	if j.bell != nil {
		close(j.bell)
		j.bell = nil
	}
}

// close lets followers go.
func (j *journal) close() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.closed = true
	j.ringBell()
}

// read returns up to most entries from number from on; and, when there are none
// yet, what is closed when there are. Without entries and without that the log
// is over.
func (j *journal) read(from, most int) (entries []client.Entry, more <-chan struct{}) {
	j.mu.Lock()
	defer j.mu.Unlock()
	first := max(from, j.next-len(j.ring))
	for n := first; n < j.next && len(entries) < most; n++ {
		e := told(n, &j.ring[(n-1)%kept])
		if n == first {
			e.Lost = first - from
		}
		entries = append(entries, e)
	}
	if len(entries) > 0 || j.closed {
		return entries, nil
	}
	if j.bell == nil {
		j.bell = make(chan struct{})
	}
	return nil, j.bell
}

// told is an entry as it is told.
func told(n int, e *backends.Entry) client.Entry {
	return client.Entry{
		N: n, At: seconds(e.At), What: e.What, Version: e.Version, Rule: e.Rule, Fault: e.Fault,
		Connection: e.Connection, Request: e.Request, Exchange: e.Exchange,
		Method: e.Method, Path: e.Path, ID: e.ID,
	}
}
