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
// and they stay as the proxy tells it.
func witness(events []event.Event) {
	type place struct {
		request event.Request
		peer    string
	}
	type seen struct {
		tries []int // those whose connection stood
		reads []bool
	}
	at := map[place]*seen{}
	for _, e := range events {
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
			s.tries = append(s.tries, e.Try)
		case event.AttemptEnded:
			if e.Outcome == event.Refused || e.Outcome == event.ConnectTimeout {
				s.tries = slices.DeleteFunc(s.tries, func(t int) bool { return t == e.Try })
			}
		case event.BackendGot:
			s.reads = append(s.reads, e.Cached)
		}
	}
	for i := range events {
		e := &events[i]
		switch e.Kind {
		case event.AttemptStarted, event.AttemptEnded, event.PeerMarked:
			s := at[place{e.Request, e.Peer}]
			if s == nil || len(s.tries) != len(s.reads) {
				continue
			}
			if n := slices.Index(s.tries, e.Try); n >= 0 {
				e.Cached = s.reads[n]
			}
		}
	}
}
