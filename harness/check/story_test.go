package check

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nolive/nolive/harness/analysis"
	"github.com/nolive/nolive/harness/event"
)

// story reads events from lines such as
//
//	60.1 ended r/1#2 peer=b up=u outcome=read_timeout status=504
//
// so that a test reads like a log.
func story(t testing.TB, text string) []event.Event {
	t.Helper()
	var out []event.Event
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		var e event.Event
		var err error
		e.At, err = time.ParseDuration(words[0] + "s")
		must(t, line, err)
		e.Kind, err = event.ParseKind(words[1])
		must(t, line, err)
		for _, w := range words[2:] {
			key, value, named := strings.Cut(w, "=")
			if !named {
				id, try, _ := strings.Cut(w, "#")
				e.Request, err = event.ParseRequest(id)
				must(t, line, err)
				e.Try, _ = strconv.Atoi(try)
				continue
			}
			switch key {
			case "peer":
				e.Peer = value
			case "up":
				e.Upstream = value
			case "outcome":
				e.Outcome, err = event.ParseOutcome(value)
			case "status":
				e.Status, err = strconv.Atoi(value)
			case "worker":
				e.Worker, err = strconv.Atoi(value)
			case "cached":
				e.Cached, err = strconv.ParseBool(value)
			case "detail":
				e.Detail = strings.ReplaceAll(value, "_", " ")
			default:
				t.Fatalf("%q: unknown word %s", line, w)
			}
			must(t, line, err)
		}
		out = append(out, e)
	}
	return out
}

func must(t testing.TB, line string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%q: %v", line, err)
	}
}

// judged runs a story and asks a check about it.
func judged(t testing.TB, c Check, text string) Verdict {
	t.Helper()
	judge := c.Start()
	a := analysis.New(judge)
	for _, e := range story(t, text) {
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
