package live

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/nolive/nolive/harness/event"
)

// recorder collects the events of a run from everyone who takes part. It keeps
// them in pieces: everybody waits while one event is added, and a list that moves
// as it grows, tens of megabytes into memory that was never touched, makes them
// wait for a third of a second.
type recorder struct {
	mu     sync.Mutex
	pieces [][]event.Event
	// sessions are the clients' connections to stream servers.
	sessions sessions
}

var _ event.Sink = (*recorder)(nil)

// piece is how many events are kept side by side.
const piece = 1024

// Emit keeps an event.
func (r *recorder) Emit(e event.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := len(r.pieces)
	if n == 0 || len(r.pieces[n-1]) == piece {
		r.pieces = append(r.pieces, make([]event.Event, 0, piece))
		n++
	}
	r.pieces[n-1] = append(r.pieces[n-1], e)
}

// all returns what was recorded so far, as it came.
func (r *recorder) all() []event.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Concat(r.pieces...)
}

// ordered returns what was recorded so far in order of time, see inOrder.
func (r *recorder) ordered() []event.Event {
	events := r.all()
	r.sessions.join(events)
	witness(events)
	return inOrder(events)
}

// inOrder sorts events by instant. Events of the same instant come in the order
// fault, sent, proxy, backend, response: causes before what they cause. Within
// one of these groups they stay in the order in which they were emitted, for a
// proxy that reports a failed attempt, its mark and the next attempt within one
// millisecond knows their order, and the kinds alone don't.
//
// One stamp gives way: a request is sent before anything else happens to it,
// though the proxy's clock, in whole milliseconds, may say that it started
// earlier. Then RequestSent keeps its instant but moves in front of the
// request's first event. No stamp is changed: nginx decides by its own.
func inOrder(events []event.Event) []event.Event {
	first := make(map[event.Request]time.Duration)
	for _, e := range events {
		if e.Request == (event.Request{}) || e.Kind == event.RequestSent {
			continue
		}
		if at, ok := first[e.Request]; !ok || e.At < at {
			first[e.Request] = e.At
		}
	}
	place := func(e *event.Event) time.Duration {
		if e.Kind == event.RequestSent {
			if at, ok := first[e.Request]; ok {
				return min(at, e.At)
			}
		}
		return e.At
	}
	slices.SortStableFunc(events, func(a, b event.Event) int {
		return cmp.Or(cmp.Compare(place(&a), place(&b)), cmp.Compare(group(a.Kind), group(b.Kind)))
	})
	return events
}

// group is the place of a kind among events of the same instant.
func group(k event.Kind) int {
	switch k {
	case event.FaultOn, event.FaultOff:
		return 0
	case event.RequestSent:
		return 1
	case event.BackendGot, event.BackendCut:
		return 3
	case event.ResponseEnded:
		return 4
	}
	return 2
}
