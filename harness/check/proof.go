package check

import (
	"cmp"
	"slices"
	"time"

	"github.com/nolive/nolive/harness/analysis"
	"github.com/nolive/nolive/harness/event"
)

// maxEvidence is how many events prove a failed verdict: enough to see a
// pattern, few enough to read.
const maxEvidence = 12

// proof keeps the first events that were added.
type proof []event.Event

func (p *proof) add(events ...event.Event) {
	if room := maxEvidence - len(*p); room > 0 {
		*p = append(*p, events[:min(room, len(events))]...)
	}
}

// full says whether adding is in vain, to save putting events together.
func (p *proof) full() bool { return len(*p) >= maxEvidence }

// inOrder drops repetitions, cuts to what a verdict may have, and sorts by time;
// a request begins before anything else happens at that instant.
func inOrder(events []event.Event) []event.Event {
	var out []event.Event
	for _, e := range events {
		if len(out) < maxEvidence && !slices.Contains(out, e) {
			out = append(out, e)
		}
	}
	begins := func(e event.Event) int {
		if e.Kind == event.RequestSent {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(out, func(a, b event.Event) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(begins(a), begins(b)))
	})
	return out
}

// response is the event with which a request ended for its client; for one that
// never ended, the one with which it began.
func response(x *analysis.Exchange) event.Event {
	if x.Outcome == 0 {
		return event.Event{At: x.Sent, Kind: event.RequestSent, Request: x.Request}
	}
	e := event.Event{At: x.Ended, Kind: event.ResponseEnded, Request: x.Request, Outcome: x.Outcome, Status: x.Status}
	if isError(x) {
		e.Detail = history(x)
	}
	return e
}

// start is the event with which attempt i began.
func start(x *analysis.Exchange, i int) event.Event {
	a := &x.Attempts[i]
	return event.Event{
		At: a.Started, Kind: event.AttemptStarted, Request: x.Request, Try: i + 1,
		Peer: a.Peer, Upstream: a.Upstream, Cached: a.Cached, Worker: x.Worker,
	}
}

// end is the event with which attempt i ended, or that it began if it didn't.
func end(x *analysis.Exchange, i int) event.Event {
	e, a := start(x, i), &x.Attempts[i]
	if a.Outcome != 0 {
		e.At, e.Kind, e.Outcome, e.Status = a.Ended, event.AttemptEnded, a.Outcome, a.Status
	}
	return e
}

// starts are the beginnings of all attempts of a request.
func starts(x *analysis.Exchange) []event.Event {
	out := make([]event.Event, len(x.Attempts))
	for i := range x.Attempts {
		out[i] = start(x, i)
	}
	return out
}

// stretch adds the events between which a stretch lies.
func (p *proof) stretch(s analysis.Stretch) {
	if p.full() {
		return
	}
	p.add(event.Event{At: s.From, Kind: event.PeerMarked, Peer: s.Peer, Upstream: s.Upstream})
	if !s.Open {
		p.add(event.Event{At: s.To, Kind: event.AttemptStarted, Peer: s.Peer, Upstream: s.Upstream})
	}
}

// sides keeps what satisfies a condition and what doesn't: which of them is the
// offence is known only when the number turns out too large or too small.
type sides struct{ hits, others proof }

// against picks the side that offends a span with n hits.
func (s *sides) against(want Span, n float64) []event.Event {
	if want.above(n) {
		return s.hits
	}
	return s.others
}

// extremes keeps the responses with the largest (or smallest) times.
type extremes struct {
	sign time.Duration // 1 keeps the largest, -1 the smallest
	list []extreme     // most extreme first
}

type extreme struct {
	d time.Duration
	e event.Event
}

func (k *extremes) add(d time.Duration, x *analysis.Exchange) {
	n := len(k.list)
	if n == maxEvidence {
		if k.sign*d <= k.sign*k.list[n-1].d {
			return
		}
		n--
		k.list = k.list[:n]
	}
	at := n
	for at > 0 && k.sign*d > k.sign*k.list[at-1].d {
		at--
	}
	k.list = slices.Insert(k.list, at, extreme{d, response(x)})
}

func (k *extremes) events() []event.Event {
	out := make([]event.Event, len(k.list))
	for i, x := range k.list {
		out[i] = x.e
	}
	return out
}

// outside are those that aren't as wanted, the worst first, each with what it took.
func (k *extremes) outside(want Span) []event.Event {
	var out []event.Event
	for _, x := range k.list {
		if !want.Has(x.d.Seconds()) {
			took := "took " + seconds(x.d)
			if x.e.Kind == event.RequestSent {
				took = "no answer for " + seconds(x.d)
			}
			if x.e.Detail != "" {
				took += ", " + x.e.Detail
			}
			x.e.Detail = took
			out = append(out, x.e)
		}
	}
	return out
}
