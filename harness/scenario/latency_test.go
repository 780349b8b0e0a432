package scenario

import (
	"strings"
	"testing"
	"time"

	"github.com/nolive/nolive/backends/fault"
)

func TestEveryFormOfALatency(t *testing.T) {
	ms := time.Millisecond
	s := load(t, "latency.yaml").Scenarios[0]
	list, err := fault.Compose(
		must(t, &fault.WaitSpec{Latency: fault.Latency{Min: ms, Max: 2 * ms}}),
		must(t, &fault.DripSpec{RespondSpec: fault.RespondSpec{After: fault.Latency{Max: 5 * ms}}}))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []fault.Fault{
		must(t, &fault.RespondSpec{After: fault.Latency{Min: 10 * ms, Max: 50 * ms}}),
		must(t, &fault.StatusSpec{Code: 503, After: fault.Latency{Median: 20 * ms, P99: 2 * time.Second}}),
		must(t, &fault.MalformedSpec{What: "junk", After: fault.Latency{OneOf: []time.Duration{5 * ms, 5 * ms, 2 * time.Second}}}),
		must(t, &fault.SlowPDFSpec{Generate: fault.Latency{First: 10 * ms, Last: 2 * time.Second, Over: time.Minute}}),
		must(t, &fault.ResetSpec{CutSpec: fault.CutSpec{RespondSpec: fault.RespondSpec{After: fault.For(5 * ms)}}}),
		list,
	} {
		diff(t, s.Backends[i].Name, s.Backends[i].Rules, fault.Rules{{Do: want}})
	}
}

func TestLatenciesThatCantBeMeant(t *testing.T) {
	for after, want := range map[string]string{
		"20":                        `1:18: after: "20" has no unit (did you mean "20s"?)`,
		"50ms..10ms":                `1:18: after: the range 50ms..10ms is empty (did you mean "10ms..50ms"?)`,
		"{median: 2s}":              `1:18: respond: after: p99: missing beside median`,
		"{medium: 2s}":              `1:19: after: unknown key "medium" (did you mean "median"?)`,
		"[1s, 2s]":                  `1:18: after: want a duration such as 60s, a range such as 10ms..50ms, or a mapping such as {median: 20ms, p99: 2s}, got a list`,
		"{}":                        `1:18: after: want a duration such as 60s, a range such as 10ms..50ms, or a mapping such as {median: 20ms, p99: 2s}, got a mapping`,
		"{one_of: [1s], for: 2s}":   `1:18: respond: after: for: one kind of time only: for, min and max, median and p99, one_of, or first, last and over`,
		"{first: 1s, last: 2s}":     `1:18: respond: after: over: missing; how long does it take from first to last?`,
		"{median: 20ms, p99: 10ms}": `1:18: respond: after: p99: 10ms is less than the median, 20ms`,
	} {
		_, problems := ParseDo("do", []byte("respond: {after: "+after+"}"))
		if got := problems.Err(); got == nil || strings.TrimPrefix(got.Error(), "do:") != want {
			t.Errorf("%s: got %v, want %s", after, got, want)
		}
	}
}
