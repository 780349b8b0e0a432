package check

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nolive/nolive/harness/analysis"
	"github.com/nolive/nolive/harness/event"
)

// Answer selects responses by what the client saw: a status ("200"), a class
// of statuses ("5xx"), or a word for what isn't a whole response: "closed"
// (no status line came), "truncated" (fewer bytes than announced),
// "invalid_header" (no HTTP came), "client_timeout" (the client's own),
// "client_refused" (the proxy didn't accept) and "unfinished" (the run ended
// first). "" is any.
type Answer string

// The words that aren't statuses.
const (
	AnswerClosed        Answer = "closed"
	AnswerTruncated     Answer = "truncated"
	AnswerInvalidHeader Answer = "invalid_header"
	AnswerClientTimeout Answer = "client_timeout"
	AnswerClientRefused Answer = "client_refused"
	AnswerUnfinished    Answer = analysis.Unfinished
)

var answerWords = []Answer{AnswerClosed, AnswerTruncated, AnswerInvalidHeader, AnswerClientTimeout, AnswerClientRefused, AnswerUnfinished}

// ParseAnswer checks the text.
func ParseAnswer(text string) (Answer, error) {
	a := Answer(strings.TrimSpace(text))
	if _, ok := a.selector(); !ok || a == "" {
		return "", fmt.Errorf("%q is no status: write 200, 5xx, closed, truncated, invalid_header, client_timeout, client_refused or unfinished", text)
	}
	return a, nil
}

// UnmarshalText is ParseAnswer.
func (a *Answer) UnmarshalText(text []byte) (err error) {
	*a, err = ParseAnswer(string(text))
	return err
}

// ForList is what to write for several statuses.
func (Answer) ForList() string { return "5xx is all of a class; of others write an expectation each" }

// selector is an Answer ready for matching: one comparison a request.
type selector struct {
	any     bool
	lo, hi  int // of the status
	outcome event.Outcome
	word    bool
}

// selector reads the text; ok is false when it makes no sense.
func (a Answer) selector() (s selector, ok bool) {
	if a == "" {
		return selector{any: true}, true
	}
	if slices.Contains(answerWords, a) {
		o, err := event.ParseOutcome(string(a))
		if a == AnswerUnfinished {
			o, err = 0, nil
		}
		return selector{word: true, outcome: o}, err == nil
	}
	if class, ok := strings.CutSuffix(string(a), "xx"); ok && len(class) == 1 && class >= "1" && class <= "5" {
		n := int(class[0]-'0') * 100
		return selector{lo: n, hi: n + 99}, true
	}
	n, err := strconv.Atoi(string(a))
	return selector{lo: n, hi: n}, err == nil && n >= 100 && n <= 999
}

// matches says whether the client saw that. An answer that makes no sense matches nothing.
func (s selector) matches(seen analysis.Seen) bool {
	switch {
	case s.any:
		return true
	case s.word:
		return seen.Status == 0 && seen.Outcome == s.outcome
	}
	return seen.Status >= s.lo && seen.Status <= s.hi && seen.Status != 0
}
