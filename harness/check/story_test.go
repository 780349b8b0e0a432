package check

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nolive/nolive/harness/analysis"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/event/story"
)

// judged runs a story and asks a check about it.
func judged(t testing.TB, c Check, text string) Verdict {
	t.Helper()
	judge := c.Start()
	a := analysis.New(judge)
	for _, e := range story.Read(t, text) {
		a.Emit(e)
	}
	const end = 300 * time.Second
	a.Close(end)
	return judge.Verdict(Run{End: end, Backends: []string{"a", "b"}})
}

// lines are a verdict's evidence in the words of a story.
func lines(events []event.Event) []string {
	var out []string
	for _, e := range events {
		words := []string{strconv.FormatFloat(e.At.Seconds(), 'f', -1, 64), e.Kind.String()}
		id := e.Request.String()
		if e.Try > 0 {
			id += "#" + strconv.Itoa(e.Try)
		}
		for _, w := range []string{id, e.Peer, e.Outcome.String(), strings.ReplaceAll(e.Detail, " ", "_")} {
			if w != "" {
				words = append(words, w)
			}
		}
		if e.Status != 0 {
			words = append(words, strconv.Itoa(e.Status))
		}
		if e.Cached {
			words = append(words, "cached")
		}
		out = append(out, strings.Join(words, " "))
	}
	return out
}
