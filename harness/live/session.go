package live

import (
	"sync"
	"time"

	"github.com/nolive/nolive/harness/event"
)

// sessions knows which request each of the clients' connections to a stream server
// carried: such a proxy sees no request, and names a connection by its two ends. A
// port may be used again, so an instant belongs to it.
type sessions struct {
	mu    sync.Mutex
	known map[string][]carried
}

// carried is a request and when its connection stood.
type carried struct {
	at      time.Duration
	request event.Request
}

// note keeps whose connection that is.
func (s *sessions) note(client, proxy string, at time.Duration, r event.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil {
		s.known = map[string][]carried{}
	}
	key := event.SessionOf(client, proxy)
	s.known[key] = append(s.known[key], carried{at, r})
}

// join puts the requests in the place of sessions. A session is the connection of
// those between the same ends that stood nearest to the session's first instant;
// without one it is nobody's.
func (s *sessions) join(events []event.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	first := map[event.Request]time.Duration{}
	for i := range events {
		if r := events[i].Request; r.N < 0 {
			if at, ok := first[r]; !ok || events[i].At < at {
				first[r] = events[i].At
			}
		}
	}
	for i := range events {
		e := &events[i]
		if e.Request.N >= 0 {
			continue
		}
		at := first[e.Request]
		var best carried
		for _, c := range s.known[e.Request.Traffic] {
			if best.request.N == 0 || (c.at-at).Abs() < (best.at-at).Abs() {
				best = c
			}
		}
		e.Request = best.request
	}
}
