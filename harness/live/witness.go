package live

import (
	"slices"

	"github.com/nolive/nolive/harness/event"
)

// witness corrects which attempts went out on a kept-alive connection, where a
// backend knows better. nginx's logs don't say it, and whether a backend had
// closed the connection meanwhile can't be told from them either; the backend
// that read the request knows. The attempts of a request on one backend come one
// after the other, so do their readings; where some weren't read nobody knows which,
// and they stay as the proxy tells it. A client that asks again begins at try 1 again,
// so an attempt is told by when it began, not by its number.
func witness(events []event.Event) {
	type place struct {
		request event.Request
		peer    string
	}
	type attempt struct {
		try    int
		of     []*event.Event
		failed bool // without a connection that stood
	}
	type seen struct {
		attempts []*attempt
		reads    []bool
	}
	at := map[place]*seen{}
	for i := range events {
		e := &events[i]
		if e.Request == (event.Request{}) {
			continue
		}
		p := place{e.Request, e.Peer}
		if at[p] == nil {
			at[p] = &seen{}
		}
		s := at[p]
		switch e.Kind {
		case event.AttemptStarted:
			s.attempts = append(s.attempts, &attempt{try: e.Try, of: []*event.Event{e}})
		case event.AttemptEnded, event.PeerMarked:
			for _, a := range slices.Backward(s.attempts) {
				if a.try == e.Try {
					a.of = append(a.of, e)
					a.failed = a.failed || e.Kind == event.AttemptEnded && (e.Outcome == event.Refused || e.Outcome == event.ConnectTimeout)
					break
				}
			}
		case event.BackendGot:
			s.reads = append(s.reads, e.Cached)
		}
	}
	for _, s := range at {
		stood := slices.DeleteFunc(s.attempts, func(a *attempt) bool { return a.failed })
		if len(stood) != len(s.reads) {
			continue
		}
		for i, a := range stood {
			for _, e := range a.of {
				e.Cached = s.reads[i]
			}
		}
	}
}
