package analysis

import (
	"cmp"
	"slices"
	"time"

	"github.com/nolive/nolive/harness/event"
)

// Analysis turns a stream of events into what its observers are told. Its
// memory is bounded by what is in flight.
//
// Events should come in order of time. Those of different sources (client,
// proxy log, backends) may have equal or slightly inverted stamps. An exchange
// is complete when its client's ResponseEnded, the end of every attempt, and
// ProxyAnswered have been seen; if the proxy doesn't say that it answered, a
// minute later or at Close. It is not safe for concurrent use.
type Analysis struct {
	observers []Observer
	late      []LateObserver

	index    index[string]
	traffics []*traffic
	free     []*flight
	waiting  waiting
	rotation rotation
	now      time.Duration // the latest stamp so far
	closed   bool
}

var _ event.Sink = (*Analysis)(nil)

// LateObserver is an Observer that also wants the events of exchanges that were
// already complete: a backend that thaws reads a request which was answered
// long ago.
type LateObserver interface {
	Observer
	Late(event.Event)
}

// New returns an analysis that tells its observers, in the given order.
func New(observers ...Observer) *Analysis {
	a := &Analysis{observers: observers}
	for _, o := range observers {
		if l, ok := o.(LateObserver); ok {
			a.late = append(a.late, l)
		}
	}
	return a
}

// CountApart says that an upstream has no zone and so each of the workers counts
// the failures of its peers for itself: a peer is out for one of them and to be
// picked by the others. It must come before the first event; without it all
// workers share.
func (a *Analysis) CountApart(upstream string, workers int) {
	if workers < 2 {
		return
	}
	if a.rotation.crew == nil {
		a.rotation.crew = crew{}
	}
	a.rotation.crew[upstream] = workers
}

// Emit takes in one event. After Close it does nothing.
func (a *Analysis) Emit(e event.Event) {
	if a.closed {
		return
	}
	if e.At > a.now {
		a.now = e.At
		for f := a.waiting.due(a.now); f != nil; f = a.waiting.due(a.now) {
			a.deliver(f)
		}
	}
	switch e.Kind {
	case event.FaultOn, event.FaultOff:
		return
	case event.Logged:
		for _, o := range a.observers {
			o.Log(e)
		}
		return
	case event.AttemptStarted:
		if s, ok := a.rotation.started(a.rotation.crew.member(e.Upstream, e.Peer, e.Worker), e.At); ok {
			a.stretch(s)
		}
	case event.PeerMarked:
		m := Mark{At: e.At, Peer: e.Peer, Upstream: e.Upstream, Request: e.Request, Try: e.Try, Worker: e.Worker}
		for _, o := range a.observers {
			o.Mark(m)
		}
		if s, ok := a.rotation.marked(a.rotation.crew.member(e.Upstream, e.Peer, e.Worker), e.At); ok {
			a.stretch(s)
		}
	}
	if e.Request.N > 0 {
		a.request(&e)
	}
}

// request adds an event to its exchange.
func (a *Analysis) request(e *event.Event) {
	i := a.index.of(e.Request.Traffic)
	if i == len(a.traffics) {
		a.traffics = append(a.traffics, newTraffic())
	}
	t := a.traffics[i]
	f := t.get(e.Request.N)
	if f == nil {
		// RequestSent may be the first word on a number far behind the others
		// (a user who was slow to start); anything else of it is late.
		if t.seen.has(e.Request.N) && (e.Kind != event.RequestSent || e.Request.N > t.seen.top-window) {
			for _, o := range a.late {
				o.Late(*e)
			}
			return
		}
		t.seen.add(e.Request.N)
		f = a.fresh()
		f.traffic, f.x.Request, f.x.Sent = t, e.Request, e.At
		t.put(f)
	}
	f.take(e)
	switch {
	case f.complete():
		a.deliver(f)
	case f.settled():
		a.waiting.push(f, a.now)
	case f.listed:
		a.waiting.remove(f) // another attempt began
	}
}

// Close ends the run at the given scenario time: what is still open is told as
// such, exchanges in order of sending, then stretches. A request without an
// answer has Outcome 0 and Ended at the end. Only the first call counts.
func (a *Analysis) Close(end time.Duration) {
	if a.closed {
		return
	}
	a.closed = true
	var rest []*flight
	for _, t := range a.traffics {
		for _, f := range t.slots {
			if f != nil {
				rest = append(rest, f)
			}
		}
	}
	slices.SortFunc(rest, func(f, g *flight) int {
		return cmp.Or(cmp.Compare(f.x.Sent, g.x.Sent), cmp.Compare(f.x.Request.Traffic, g.x.Request.Traffic), cmp.Compare(f.x.Request.N, g.x.Request.N))
	})
	for _, f := range rest {
		if !f.responded {
			f.x.Ended = max(end, f.x.Sent)
		}
		a.deliver(f)
	}
	for _, s := range a.rotation.rest(end) {
		a.stretch(s)
	}
}

func (a *Analysis) stretch(s Stretch) {
	for _, o := range a.observers {
		o.Stretch(s)
	}
}

// deliver tells of an exchange and lets go of it.
func (a *Analysis) deliver(f *flight) {
	for _, o := range a.observers {
		o.Exchange(&f.x)
	}
	a.waiting.remove(f)
	f.traffic.remove(f.x.Request.N)
	*f = flight{x: Exchange{Attempts: f.x.Attempts[:0], Got: f.x.Got[:0]}, state: f.state[:0]}
	a.free = append(a.free, f)
}

func (a *Analysis) fresh() *flight {
	if n := len(a.free); n > 0 {
		f := a.free[n-1]
		a.free = a.free[:n-1]
		return f
	}
	return &flight{}
}
