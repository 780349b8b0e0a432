package analysis

import (
	"slices"

	"github.com/nolive/nolive/harness/event"
)

// Record keeps a copy of all that an analysis derives, for judging it later.
// Its memory grows with the run.
type Record struct {
	// Exchanges in the order in which they were complete.
	Exchanges []*Exchange
	Marks     []Mark
	Stretches []Stretch
	Logs      []event.Event
	// Stragglers are events that came after their exchange was complete.
	Stragglers []event.Event
}

var _ LateObserver = (*Record)(nil)

// Exchange keeps a deep copy.
func (r *Record) Exchange(x *Exchange) {
	c := *x
	c.Attempts, c.Got = slices.Clone(x.Attempts), slices.Clone(x.Got)
	r.Exchanges = append(r.Exchanges, &c)
}

// Mark implements Observer.
func (r *Record) Mark(m Mark) { r.Marks = append(r.Marks, m) }

// Stretch implements Observer.
func (r *Record) Stretch(s Stretch) { r.Stretches = append(r.Stretches, s) }

// Log implements Observer.
func (r *Record) Log(e event.Event) { r.Logs = append(r.Logs, e) }

// Late implements LateObserver.
func (r *Record) Late(e event.Event) { r.Stragglers = append(r.Stragglers, e) }

// Replay tells an observer everything again: exchanges, then marks, stretches
// and log lines, each in their own order.
func (r *Record) Replay(o Observer) {
	for _, x := range r.Exchanges {
		o.Exchange(x)
	}
	for _, m := range r.Marks {
		o.Mark(m)
	}
	for _, s := range r.Stretches {
		o.Stretch(s)
	}
	for _, e := range r.Logs {
		o.Log(e)
	}
	if l, ok := o.(LateObserver); ok {
		for _, e := range r.Stragglers {
			l.Late(e)
		}
	}
}
