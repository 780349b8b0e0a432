package analysis

import (
	"cmp"
	"strconv"

	"github.com/nolive/nolive/harness/event"
)

// Seen is what a client saw in the end, comparable: a status when a whole
// response came, otherwise the outcome. The zero value is a request that was
// still open at the end of the run.
type Seen struct {
	// Status is 0 unless the response was whole: a truncated 200 is truncated.
	Status  int
	Outcome event.Outcome
}

// Unfinished is how String writes the zero Seen.
const Unfinished = "unfinished"

// Seen is what the exchange's client saw.
func (x *Exchange) Seen() Seen {
	if x.Outcome == event.Passed {
		return Seen{Status: x.Status}
	}
	return Seen{Outcome: x.Outcome}
}

// String is "200", "closed", "truncated", "invalid_header", "client_timeout",
// "client_refused" or "unfinished".
func (s Seen) String() string {
	switch {
	case s.Status != 0:
		return strconv.Itoa(s.Status)
	case s.Outcome == 0:
		return Unfinished
	}
	return s.Outcome.String()
}

// Compare orders statuses before words, each ascending.
func (s Seen) Compare(t Seen) int {
	if (s.Status == 0) != (t.Status == 0) {
		return cmp.Compare(t.Status, s.Status) // a word has status 0
	}
	return cmp.Or(cmp.Compare(s.Status, t.Status), cmp.Compare(s.Outcome, t.Outcome))
}
