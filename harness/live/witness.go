package live

import "github.com/nolive/nolive/harness/event"

// witness corrects which attempts went out on a kept-alive connection, where a
// backend knows better. nginx's logs don't say it, and whether a backend had
// closed the connection meanwhile can't be told from them either; the backend
// that read the request knows. An attempt that no backend read, or one of
// several of a request on one backend, stays as the proxy tells it.
func witness(events []event.Event) {
	type place struct {
		request event.Request
		peer    string
	}
	type seen struct {
		tries, gots int
		try         int
		cached      bool
	}
	at := map[place]*seen{}
	for _, e := range events {
		if e.Request == (event.Request{}) || e.Kind != event.AttemptStarted && e.Kind != event.BackendGot {
			continue
		}
		p := place{e.Request, e.Peer}
		s := at[p]
		if s == nil {
			s = &seen{}
			at[p] = s
		}
		if e.Kind == event.BackendGot {
			s.gots++
			s.cached = e.Cached
		} else {
			s.tries++
			s.try = e.Try
		}
	}
	for i := range events {
		e := &events[i]
		switch e.Kind {
		case event.AttemptStarted, event.AttemptEnded, event.PeerMarked:
			if s := at[place{e.Request, e.Peer}]; s != nil && s.tries == 1 && s.gots == 1 && s.try == e.Try {
				e.Cached = s.cached
			}
		}
	}
}
