package harness

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/nolive/nolive/harness/event"
)

// Difference is one thing on which two runs of the same plan disagree.
type Difference struct {
	// Request is the request that went differently; Backend the backend that was
	// marked differently. Exactly one is set.
	Request event.Request
	Backend string
	// A and B say in short what each run did.
	A, B string
	// EventsA and EventsB are the events behind it.
	EventsA, EventsB []event.Event
}

// String is one line.
func (d Difference) String() string {
	what := d.Backend
	if what == "" {
		what = d.Request.String()
	}
	return fmt.Sprintf("%s: %s, but %s", what, d.A, d.B)
}

// Compare holds two runs of the same plan against each other: per request the
// peers in order, the outcome of each attempt and whether its connection was a
// kept-alive one, and the status; per backend the number of marks. It looks at
// no instants. Both results must have kept their events.
func Compare(a, b *Result) []Difference {
	left, right := tell(a.Events), tell(b.Events)
	var out []Difference
	for _, r := range union(left.requests, right.requests, compareRequests) {
		x, y := left.requests[r], right.requests[r]
		if x.String() != y.String() {
			out = append(out, Difference{Request: r, A: x.String(), B: y.String(), EventsA: x.all(), EventsB: y.all()})
		}
	}
	for _, name := range union(left.marks, right.marks, strings.Compare) {
		x, y := left.marks[name], right.marks[name]
		if len(x) != len(y) {
			out = append(out, Difference{Backend: name, A: "marked " + times(len(x)), B: times(len(y)), EventsA: x, EventsB: y})
		}
	}
	return out
}

// told is a run in the terms in which runs are compared.
type told struct {
	requests map[event.Request]*story
	marks    map[string][]event.Event
}

// story is what happened to one request.
type story struct {
	attempts []string
	noLive   bool
	answer   string
	events   []event.Event
}

// String is "a read_timeout, b passed, 200"; "not sent" for a request that the
// run didn't have.
func (s *story) String() string {
	if s == nil {
		return "not sent"
	}
	parts := s.attempts
	if s.noLive {
		parts = append(slices.Clip(parts), "no live upstreams")
	}
	answer := s.answer
	if answer == "" {
		answer = "no answer"
	}
	return strings.Join(append(slices.Clip(parts), answer), ", ")
}

// all are its events, none for a request that the run didn't have.
func (s *story) all() []event.Event {
	if s == nil {
		return nil
	}
	return s.events
}

// times is how often something happened.
func times(n int) string {
	switch n {
	case 0:
		return "never"
	case 1:
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

func tell(events []event.Event) told {
	t := told{map[event.Request]*story{}, map[string][]event.Event{}}
	for _, e := range events {
		if e.Kind == event.PeerMarked {
			t.marks[e.Peer] = append(t.marks[e.Peer], e)
		}
		if e.Request == (event.Request{}) {
			continue
		}
		s := t.requests[e.Request]
		if s == nil {
			s = &story{}
			t.requests[e.Request] = s
		}
		switch e.Kind {
		case event.AttemptEnded:
			word := e.Peer + " " + e.Outcome.String()
			if e.Cached {
				word += " cached"
			}
			s.attempts = append(s.attempts, word)
		case event.NoLive:
			s.noLive = true
		case event.ResponseEnded:
			s.answer = answerOf(e)
		case event.Logged, event.BackendGot:
			continue
		}
		s.events = append(s.events, e)
	}
	return t
}

// answerOf is the client's view in one word.
func answerOf(e event.Event) string {
	if e.Outcome == event.Passed {
		return fmt.Sprint(e.Status)
	}
	if e.Status != 0 {
		return fmt.Sprintf("%d %v", e.Status, e.Outcome)
	}
	return e.Outcome.String()
}

func compareRequests(a, b event.Request) int {
	return cmp.Or(strings.Compare(a.Traffic, b.Traffic), cmp.Compare(a.N, b.N))
}

// union returns the keys of both maps in order, once each.
func union[K comparable, V any](a, b map[K]V, compare func(K, K) int) []K {
	var keys []K
	for k := range a {
		keys = append(keys, k)
	}
	for k := range b {
		if _, both := a[k]; !both {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, compare)
	return keys
}
