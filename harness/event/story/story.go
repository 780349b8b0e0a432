// Package story is how tests write logs.
package story

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nolive/nolive/harness/event"
)

// Read reads events from lines such as
//
//	60.1 ended r/1#2 peer=b up=u outcome=read_timeout status=504
//
// so that a test reads like a log: the second, the kind, the request with its try, and
// the fields that it has. An underscore in a detail is a space. Anything else ends the
// test.
func Read(t testing.TB, text string) []event.Event {
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
