package analysis

import (
	"strconv"
	"strings"
	"testing"
	"time"

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

// recorded runs a story.
func recorded(t testing.TB, end time.Duration, text string) *Record {
	t.Helper()
	r := &Record{}
	a := New(r)
	for _, e := range story(t, text) {
		a.Emit(e)
	}
	a.Close(end)
	return r
}

// whole is one request that went to a, timed out, and was answered by b.
const whole = `
	1      sent     r/1
	1.001  attempt  r/1#1 peer=a up=u worker=1
	1.002  got      r/1   peer=a
	61.001 ended    r/1#1 peer=a up=u outcome=read_timeout status=504
	61.001 marked   r/1#1 peer=a up=u
	61.001 attempt  r/1#2 peer=b up=u cached=true worker=1
	61.002 got      r/1   peer=b
	61.020 ended    r/1#2 peer=b up=u outcome=passed status=200 cached=true
	61.020 answered r/1   status=200 worker=1
	61.021 response r/1   outcome=passed status=200
`
