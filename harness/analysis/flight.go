package analysis

import (
	"time"

	"github.com/nolive/nolive/harness/event"
)

// flight is an exchange that isn't complete yet. Completed ones are used again.
type flight struct {
	x       Exchange
	traffic *traffic
	open    int // attempts started and not ended
	// state says of each of x.Attempts what was seen of it.
	state []state
	// sent, responded and answered: RequestSent, ResponseEnded and
	// ProxyAnswered were seen.
	sent, responded, answered bool

	// In the list of those that only lack ProxyAnswered, since when.
	prev, next *flight
	listed     bool
	since      time.Duration
}

// state is what was seen of an attempt.
type state uint8

const (
	started state = 1 << iota
	ended
)

// slack is how far an attempt's number may be ahead of those seen. A larger gap
// is no inversion but a broken log, and must not cost memory.
const slack = 16

// attempt returns the place of a try, -1 when its number is impossible.
func (f *flight) attempt(try int) int {
	if try < 1 || try > len(f.x.Attempts)+slack {
		return -1
	}
	for len(f.x.Attempts) < try {
		f.x.Attempts = append(f.x.Attempts, Attempt{})
		f.state = append(f.state, 0)
	}
	return try - 1
}

// take adds one event. What was said already isn't said again.
func (f *flight) take(e *event.Event) {
	x := &f.x
	switch e.Kind {
	case event.RequestSent:
		if !f.sent {
			x.Sent, f.sent = e.At, true
		}
	case event.AttemptStarted:
		if i := f.attempt(e.Try); i >= 0 && f.state[i]&started == 0 {
			if f.state[i]&ended == 0 {
				f.open++
			}
			f.state[i] |= started
			a := &x.Attempts[i]
			a.Peer, a.Upstream, a.Started, a.Cached = e.Peer, e.Upstream, e.At, e.Cached
			x.Worker = e.Worker
		}
	case event.AttemptEnded:
		if i := f.attempt(e.Try); i >= 0 && f.state[i]&ended == 0 {
			if f.state[i]&started != 0 {
				f.open--
			}
			f.state[i] |= ended
			a := &x.Attempts[i]
			a.Peer, a.Upstream, a.Cached = e.Peer, e.Upstream, e.Cached
			a.Ended, a.Outcome, a.Status = e.At, e.Outcome, e.Status
		}
	case event.PeerMarked:
		if i := f.attempt(e.Try); i >= 0 {
			x.Attempts[i].Marked = true
		}
	case event.NoLive:
		if !x.NoLive {
			x.NoLive, x.NoLiveAt, x.NoLiveIn = true, e.At, e.Upstream
		}
	case event.BackendGot:
		x.Got = append(x.Got, e.Peer)
	case event.ProxyAnswered:
		x.ProxyStatus, x.Worker, f.answered = e.Status, e.Worker, true
	case event.ResponseEnded:
		if !f.responded {
			x.Ended, x.Outcome, x.Status, f.responded = e.At, e.Outcome, e.Status, true
		}
	}
}

// settled says whether nothing but the proxy's own word can be missing.
func (f *flight) settled() bool { return f.responded && f.open == 0 }

// complete says whether everything was seen. A client that couldn't connect is
// all there is to see.
func (f *flight) complete() bool {
	return f.settled() && (f.answered || f.x.Outcome == event.ClientRefused)
}
