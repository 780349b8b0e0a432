package check

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestValidateRefuses(t *testing.T) {
	for _, c := range []struct {
		check Definition
		want  []string
	}{
		{Status{}, []string{"of: is missing: write of: curl", "is: is missing: write is: 200"}},
		{Status{Of: "r", Is: "2000", Count: Exactly(Pct(12))}, []string{`is: "2000" is no status`, "count: 12% is a share, and this a count such as 4: write share: {of: r, status: 2000, is: 12%}"}},
		{Attempts{Backend: "a", Count: AtLeast(Pct(95))}, []string{"count: >= 95% is a share, and this a count such as 4: write is: \">= 95%\""}},
		{Share{Of: "r", Status: "502"}, []string{"is: is missing: write is: 12%..21%"}},
		{Share{Of: "r", Status: "502", Is: Exactly(5)}, []string{"is: 5 has no unit: want a share such as 12%"}},
		{Share{Of: "r", Status: "5x2", Is: Exactly(Pct(5))}, []string{`status: "5x2" is no status`}},
		{Share{Of: "r", Status: "502", Is: Exactly(Pct(5)), During: Window{2, 2}}, []string{"during: the window 2ns..2ns never opens"}},
		{Share{Of: "r", Status: "unfinished", Is: Exactly(Pct(5))}, []string{"status: unfinished is no response: count it with status: {of: ..., is: unfinished, count: ...}"}},
		{FanOut{Of: "r"}, []string{"each: is missing: write each: 4 for attempts, or distinct: 4 for different backends"}},
		{FanOut{Of: "r", Distinct: Distinct{Each: true}}, []string{"each: is missing: distinct: true counts different backends, write how many, or distinct: 4"}},
		{Attempts{}, []string{": says neither whose attempts nor on what: write of: curl, backend: app1, or both", "count: is missing: write count: 3, or is: 30%..36% for a share"}},
		{Attempts{Of: "r", Is: Exactly(Pct(5))}, []string{"is: is the share of what? write a backend or an outcome too"}},
		{Attempts{Of: "r", Outcome: "client_timeout", Count: Exactly(0)}, []string{`outcome: no attempt ends as "client_timeout", that is what a client sees`}},
		{Attempts{Of: "r", Outcome: "timeout", Count: Exactly(0)}, []string{`outcome: "timeout" is a word of proxy_next_upstream; how an attempt ends is called connect_timeout, send_timeout or read_timeout`}},
		{Attempts{Of: "r", Outcome: "error", Count: Exactly(0)}, []string{`outcome: "error" is a word of proxy_next_upstream; how an attempt ends is called refused, reset or closed`}},
		{Attempts{Of: "r", Outcome: "http_503", Count: Exactly(0)}, []string{`outcome: "http_503" is a word of proxy_next_upstream; how an attempt ends is called listed: its status was one that proxy_next_upstream lists`}},
		{Attempts{Of: "r", Outcome: "bad", Count: Exactly(0)}, []string{`outcome: unknown outcome "bad"; there are passed, truncated, aborted, relayed, refused, connect_timeout, send_timeout, read_timeout, reset, closed, invalid_header, listed`}},
		{Marked{}, []string{"backend: is missing: write backend: app1"}},
		{Marked{Backend: "a", Times: Between(4, 2)}, []string{"times: 4..2 allows nothing"}},
		{Out{Backend: "a", For: Exactly(44)}, []string{"for: 44 has no unit: want a duration such as 60s"}},
		{Out{Backend: "a", Times: Exactly(0), Still: Yes}, []string{"still: one that is open contradicts times: 0"}},
		{InRotation{Backend: "a", At: At(time.Second), During: Window{1, 2}}, []string{"at: contradicts during: write one of them"}},
		{InRotation{Backend: "a", Is: No}, []string{"is: false for the whole run is impossible: a backend is out only after an attempt on it; write at or during"}},
		{InRotation{Backend: "a", At: At(-time.Second)}, []string{"at: -1s is before the run"}},
		{Slow{Of: "r"}, []string{"over: is missing: write over: 59s", "count: is missing: write count: 4"}},
		{Slow{Of: "r", Over: -time.Second, Count: Exactly(1)}, []string{"over: -1s is negative"}},
		{Latency{Of: "r"}, []string{`: asserts nothing: write p99: "< 5s", or p50, p90, p95, max`}},
		{Latency{Of: "r", Max: Exactly(3)}, []string{"max: 3 has no unit: want a duration such as 60s"}},
		{Sequence{Of: "r"}, []string{": lists nothing: write status: [504, 502] or peers: [app1, app2]"}},
		{Sequence{Of: "r", Status: []Answer{"200"}, Peers: []string{"a"}}, []string{"peers: contradicts status: write two checks"}},
		{Sequence{Of: "r", Status: []Answer{"", "x"}}, []string{"status: has an empty entry", `status: "x" is no status`}},
		{Sequence{Of: "r", Peers: []string{"*"}}, []string{`peers: "*" is no backend`}},
		{Log{}, []string{"contains: is missing: write contains: no live upstreams"}},
		{Log{Contains: "x", During: Window{2, 1}}, []string{"during: the window 2ns..1ns never opens"}},
		{Duplicates{Of: "r"}, []string{"count: is missing: write count: 0"}},
		{Truncated{Of: "r"}, []string{"count: is missing: write count: 0"}},
		{Reused{}, []string{": says neither whose attempts nor on what: write of: curl, backend: app1, or both", `count: is missing: write count: "> 0"`}},
	} {
		var got []string
		for _, p := range c.check.Validate() {
			got = append(got, p.Field+": "+p.Text)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", c.check, diff)
		}
	}
}

func TestRefs(t *testing.T) {
	w := Window{time.Minute, time.Hour}
	for _, c := range []struct {
		check Definition
		want  Refs
	}{
		{Status{Of: "r", During: w}, Refs{Traffic: "r", During: w}},
		{Attempts{Of: "r", Backend: "a"}, Refs{Traffic: "r", Backends: []string{"a"}}},
		{Marked{Backend: "*"}, Refs{Backends: []string{"*"}}},
		{Sequence{Of: "r", Peers: []string{"a", "b", "a"}}, Refs{Traffic: "r", Backends: []string{"a", "b"}}},
		{InRotation{Backend: "a", At: At(time.Minute)}, Refs{Backends: []string{"a"}, During: Window{time.Minute, time.Minute + 1}}},
		{Duplicates{Of: "r"}, Refs{Traffic: "r", NonIdempotent: true}},
		{Log{Contains: "x"}, Refs{}},
		{Log{Contains: "x", During: w}, Refs{During: w}},
		{FanOut{Of: "r", During: w}, Refs{Traffic: "r", During: w}},
		{Latency{Of: "r", During: w}, Refs{Traffic: "r", During: w}},
		{Out{Backend: "a", During: w}, Refs{Backends: []string{"a"}, During: w}},
		{Reused{Of: "r", Backend: "a", During: w}, Refs{Traffic: "r", Backends: []string{"a"}, During: w}},
		{Share{Of: "r", During: w}, Refs{Traffic: "r", During: w}},
		{Slow{Of: "r", During: w}, Refs{Traffic: "r", During: w}},
		{Truncated{Of: "r", During: w}, Refs{Traffic: "r", During: w}},
	} {
		if diff := cmp.Diff(c.want, c.check.Refs()); diff != "" {
			t.Errorf("%s: %s", c.check, diff)
		}
	}
}

// Whatever a check holds, String writes it so that a scenario reads the same
// again, awkward names and texts included.
func TestStringIsReadAgain(t *testing.T) {
	for _, kind := range Kinds() {
		t.Run(kind.Name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				def := kind.New()
				fill(t, reflect.ValueOf(def).Elem())
				if def.Validate() != nil && !onlyMissing(def) {
					t.Skip("contradicts itself")
				}
				text := def.String()
				again := decoded(t, text)
				if diff := cmp.Diff(def, again); diff != "" {
					t.Fatalf("%s: %s", text, diff)
				}
			})
		})
	}
}

func onlyMissing(def Definition) bool {
	for _, p := range def.Validate() {
		if !strings.Contains(p.Text, "missing") {
			return false
		}
	}
	return true
}

// fill draws a value for every field of a check, by its type.
func fill(t *rapid.T, v reflect.Value) {
	duration := func(label string) time.Duration {
		return time.Duration(rapid.Int64Range(1, 1e7).Draw(t, label)) * time.Millisecond
	}
	for i := range v.NumField() {
		f, name := v.Field(i), v.Type().Field(i).Name
		if rapid.IntRange(0, 3).Draw(t, name+" is left out") == 0 {
			continue
		}
		switch p := f.Addr().Interface().(type) {
		case *string:
			*p = anyText().Draw(t, name)
		case *[]string:
			*p = rapid.SliceOfN(anyText(), 1, 3).Draw(t, name)
		case *Answer:
			*p = anyAnswer().Draw(t, name)
		case *[]Answer:
			*p = rapid.SliceOfN(anyAnswer(), 1, 3).Draw(t, name)
		case *Ended:
			*p = rapid.SampledFrom([]Ended{"refused", "passed"}).Draw(t, name)
		case *Span:
			unit := Count
			switch {
			case name == "For" || v.Type() == reflect.TypeFor[Latency]():
				unit = Seconds
			case name == "Is":
				unit = Percent
			}
			*p = anySpan(unit).Draw(t, name)
		case *Distinct:
			if *p = (Distinct{Each: true}); rapid.Bool().Draw(t, name+" is a number") {
				*p = Distinct{Span: anySpan(Count).Draw(t, name)}
			}
		case *Window:
			*p = Window{From: duration("from")}
			if rapid.Bool().Draw(t, "closed") {
				p.To = p.From + duration("length")
			}
		case *Instant:
			*p = At(duration(name))
		case *time.Duration:
			*p = duration(name)
		case *Truth:
			*p = rapid.SampledFrom([]Truth{Yes, No}).Draw(t, name)
		default:
			t.Fatalf("a field of type %s: say here how to fill it", f.Type())
		}
	}
}

func anyText() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.SampledFrom([]string{"curl", "10.20.1.11:8080", "*", "no live upstreams", "a: b", "a #b", "true", "null", "~", "12", "0x1f", "1e3",
			"- a", "a,b", "{}", `say "no"`, "it's", "é", "a:", "%", "[::1]:80", "unix:/tmp/x y", "?", "a\tb", "a\\n", "1_000", ".5", "2026-01-01", "=", "<<"}),
		rapid.StringMatching(`[a-zA-Z0-9_.:/%± #,'"&*!|>@`+"`"+`\[\]{}-]{1,12}`),
	)
}

func anyAnswer() *rapid.Generator[Answer] {
	return rapid.SampledFrom([]Answer{"200", "499", "5xx", "closed", "truncated", "invalid_header", "client_timeout", "client_refused", "unfinished"})
}

// A number of backends is a count, or every attempt's own.
func TestDistinctIsACountOrTrue(t *testing.T) {
	for text, want := range map[string]string{
		"true": "", "false": "", "3": "", "2..4": "",
		"some": "want a number of backends, or true", "12%": "want a number of backends, or true",
	} {
		var d Distinct
		err := d.UnmarshalText([]byte(text))
		if (err == nil) != (want == "") || err != nil && !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
		if d.Each != (text == "true") {
			t.Errorf("%s: each is %v", text, d.Each)
		}
	}
}

// What a backend was out for: the first lengths, and one that is to blame and isn't
// among them.
func TestWhatABackendWasOutFor(t *testing.T) {
	for _, c := range []struct {
		tally outTally
		want  string
	}{
		{outTally{}, "never out"},
		{outTally{n: 1, open: true}, "1, still out since 0.0s"},
		{outTally{n: 2, ended: 1, lengths: []string{"50.0s"}, open: true}, "2 (50.0s), still out since 0.0s"},
		{outTally{n: 1, ended: 1, lengths: []string{"50.0s"}, bad: 1, worst: "50.0s"}, "1 (50.0s)"},
		{outTally{n: 2, ended: 2, lengths: []string{"50.0s"}, bad: 1, worst: "9.0s"}, "2 (50.0s), 1 of another length such as 9.0s"},
	} {
		if got := c.tally.String(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
