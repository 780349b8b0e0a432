package harness

import (
	"fmt"

	"github.com/nolive/nolive/harness/event"
)

// lines makes sure that the real nginx's log is whole: it has a line for every
// request that a client got an answer to. A disk that was full for a while
// leaves gaps that look like a proxy that did nothing.
type lines struct {
	to event.Sink
	// missing counts, for each request, answers less lines. Both are about the
	// same instant, so hardly any request is in it at a time.
	missing map[event.Request]int
}

// Emit hands one event on.
func (l *lines) Emit(e event.Event) {
	switch {
	case e.Kind == event.ResponseEnded && e.Outcome == event.Passed:
		l.add(e.Request, 1)
	case e.Kind == event.ProxyAnswered && e.Request != (event.Request{}):
		l.add(e.Request, -1)
	}
	l.to.Emit(e)
}

func (l *lines) add(r event.Request, n int) {
	if l.missing[r] += n; l.missing[r] == 0 {
		delete(l.missing, r)
	}
}

// gap says what is missing, "" for nothing.
func (l *lines) gap() string {
	n, one := 0, event.Request{}
	for r, m := range l.missing {
		if m > 0 {
			if n == 0 || compareRequests(r, one) < 0 {
				one = r
			}
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("nginx's log has no line for %d of the answered requests, such as %v: was its disk full?", n, one)
}
