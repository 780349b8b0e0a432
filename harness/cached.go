package harness

import (
	"slices"

	"github.com/nolive/nolive/harness/event"
)

// reused corrects which attempts of a run went out on a kept-alive connection by
// what the backends saw: nginx's logs don't tell it, and what can be inferred
// from them misses a backend that closed an idle connection of its own accord.
// An attempt whose request no backend read keeps what was inferred.
func reused(events []event.Event) {
	type place struct {
		request event.Request
		peer    string
	}
	tries, got := map[place][]int{}, map[place][]bool{}
	for _, e := range events {
		k := place{e.Request, e.Peer}
		switch {
		case e.Request == event.Request{}:
		case e.Kind == event.AttemptStarted:
			tries[k] = append(tries[k], e.Try)
		case e.Kind == event.AttemptEnded && (e.Outcome == event.Refused || e.Outcome == event.ConnectTimeout):
			tries[k] = slices.DeleteFunc(tries[k], func(t int) bool { return t == e.Try })
		case e.Kind == event.BackendGot:
			got[k] = append(got[k], e.Cached)
		}
	}
	for i := range events {
		e := &events[i]
		k := place{e.Request, e.Peer}
		if e.Kind == event.BackendGot || len(tries[k]) != len(got[k]) {
			continue
		}
		if n := slices.Index(tries[k], e.Try); n >= 0 {
			e.Cached = got[k][n]
		}
	}
}
