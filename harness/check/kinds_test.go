package check

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v4"
)

// run is a small incident: four requests of r, one of q. Backend a times out on
// r/1 and is marked, out from 61 s to 100 s, when the probe r/4 goes to it; it
// is marked again at 160 s and stays out.
const run = `
	1   sent     r/1
	1   attempt  r/1#1 peer=a up=u
	1   got      r/1   peer=a
	61  ended    r/1#1 peer=a up=u outcome=read_timeout status=504
	61  marked   r/1#1 peer=a up=u
	61  log      r/1   detail=upstream_server_temporarily_disabled
	61  attempt  r/1#2 peer=b up=u
	61  got      r/1   peer=b
	62  ended    r/1#2 peer=b up=u outcome=passed status=200
	62  answered r/1   status=200
	62  response r/1   outcome=passed status=200

	70  sent     r/2
	70  attempt  r/2#1 peer=b up=u cached=true
	70  got      r/2   peer=b
	71  ended    r/2#1 peer=b up=u cached=true outcome=truncated status=200
	71  answered r/2   status=200
	71  response r/2   outcome=truncated status=200

	80  sent     r/3
	80  attempt  r/3#1 peer=b up=u cached=true
	80  ended    r/3#1 peer=b up=u cached=true outcome=reset status=502
	80  no_live  r/3   up=u
	80  log      r/3   detail=no_live_upstreams_while_connecting
	80  answered r/3   status=502
	80  response r/3   outcome=passed status=502

	100 sent     r/4
	100 attempt  r/4#1 peer=a up=u
	160 ended    r/4#1 peer=a up=u outcome=read_timeout status=504
	160 marked   r/4#1 peer=a up=u
	160 log      r/4   detail=upstream_server_temporarily_disabled
	160 answered r/4   status=504
	160 response r/4   outcome=passed status=504

	290 sent     q/1
	290 attempt  q/1#1 peer=b up=u
`

// Every kind with a check that holds and one that doesn't, each as a scenario
// writes it and with all that it says.
func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		check     string // as in a scenario, and as String writes it
		ok        bool
		want, got string
		evidence  []string
	}{
		{"status: {of: r, is: 200, count: 1}", true, "1", "1 of 4, and 1 x 502, 1 x 504, 1 x truncated", nil},
		{"status: {of: r, is: 5xx, count: 2}", true, "2", "2 of 4, and 1 x 200, 1 x truncated", nil},
		{"status: {of: r, is: truncated, count: 1, during: 70s..71s}", true, "1", "1 of 1", nil},
		{"status: {of: q, is: unfinished}", true, "all", "1 of 1", nil},
		{"status: {of: r, is: unfinished, count: 0}", true, "0", "0 of 4, and 1 x 200, 1 x 502, 1 x 504, 1 x truncated", nil},
		{"status: {of: r, is: 200, count: 4}", false, "4", "1 of 4, and 1 x 502 (no live upstreams), 1 x 504 (read_timeout), 1 x truncated",
			[]string{"71 response r/2 truncated 200", "80 response r/3 passed after_b_reset,_no_live_upstreams 502", "160 response r/4 passed after_a_read_timeout 504"}},
		{"status: {of: r, is: 5xx, count: 0}", false, "0", "2 of 4 (1 no live upstreams, 1 read_timeout), and 1 x 200, 1 x truncated",
			[]string{"80 response r/3 passed after_b_reset,_no_live_upstreams 502", "160 response r/4 passed after_a_read_timeout 504"}},
		{"status: {of: q, is: 200}", false, "all", "0 of 1, and 1 x unfinished", []string{"290 sent q/1"}},
		{"status: {of: s, is: 5xx, count: 0}", false, "0", "no request of s was seen", nil},
		{"status: {of: r, is: 5xx, count: 0, during: 200s..}", false, "0", "no request of r was sent during 200s.., of 4", nil},

		{`share: {of: r, status: 502, is: "> 0%"}`, true, "> 0%", "1 of 4 (25.0%), and 1 x 200, 1 x 504, 1 x truncated", nil},
		{"share: {of: r, status: 502, is: 0%}", false, "0%", "1 of 4 (25.0%: no live upstreams), and 1 x 200, 1 x 504 (read_timeout), 1 x truncated",
			[]string{"80 response r/3 passed after_b_reset,_no_live_upstreams 502"}},
		{`share: {of: r, status: 200, is: ">= 50%"}`, false, ">= 50%", "1 of 4 (25.0%), and 1 x 502 (no live upstreams), 1 x 504 (read_timeout), 1 x truncated",
			[]string{"71 response r/2 truncated 200", "80 response r/3 passed after_b_reset,_no_live_upstreams 502", "160 response r/4 passed after_a_read_timeout 504"}},
		{"share: {of: q, status: 502, is: 0%}", false, "0%", "no request of q was answered before the run's end", nil},

		{"fan_out: {of: r, each: 1..2}", true, "1..2 attempts each", "1 attempt in 3 requests, 2 in 1", nil},
		{"fan_out: {of: r, status: 200, each: 2, distinct: true}", true, "2 backends each", "2 backends in 1 request", nil},
		{`fan_out: {of: r, status: 200, each: 2, distinct: 2}`, true, "2 attempts each, 2 backends each", "2 attempts in 1 request; 2 backends in 1 request", nil},
		{"fan_out: {of: r, each: 1}", false, "1 attempt each", "1 attempt in 3 requests, 2 in 1",
			[]string{"1 attempt r/1#1 a", "61 attempt r/1#2 b", "62 response r/1 passed 200"}},
		{`fan_out: {of: r, status: 504, distinct: ">= 2"}`, false, ">= 2 backends each", "1 backend in 1 request",
			[]string{"100 attempt r/4#1 a", "160 response r/4 passed after_a_read_timeout 504"}},
		{"fan_out: {of: r, status: 503, each: 1}", false, "1 attempt each", "no request of r ended as 503, of 4", nil},
		{"fan_out: {of: q, each: 4}", false, "4 attempts each", "no request of q ended before the run did", nil},
		{"fan_out: {of: q, each: 0}", false, "0 attempts each", "1 attempt in 1 request", []string{"290 sent q/1", "290 attempt q/1#1 b"}},

		{"attempts: {of: r, count: 5}", true, "5", "5", nil},
		{"attempts: {backend: b, count: 4}", true, "4", "4", nil},
		{"attempts: {of: r, backend: a, is: 40%}", true, "40%", "2 of 5 (40.0%)", nil},
		{"attempts: {backend: a, outcome: read_timeout, count: 2, is: 100%}", true, "2, 100%", "2, 2 of 2 (100.0%)", nil},
		{`attempts: {backend: "*", count: "> 1"}`, true, "> 1", "a: 2; b: 4", nil},
		{"attempts: {of: r, backend: a, count: 1}", false, "1", "2",
			[]string{"61 ended r/1#1 a read_timeout 504", "160 ended r/4#1 a read_timeout 504"}},
		{"attempts: {of: r, backend: a, count: 4}", false, "4", "2", []string{"61 marked a", "100 attempt a", "160 marked a"}},
		{"attempts: {of: r, backend: b, count: 4}", false, "4", "3", []string{"1 attempt r/1#1 a not_on_b", "100 attempt r/4#1 a not_on_b"}},
		{`attempts: {backend: "*", outcome: read_timeout, count: 2}`, false, "2", "b: 0 (1 of 2 backends)",
			[]string{"62 ended r/1#2 b passed 200", "71 ended r/2#1 b truncated 200 cached", "80 ended r/3#1 b reset 502 cached", "290 attempt q/1#1 b"}},
		{"attempts: {of: r, backend: a, is: 40%, during: 70s..90s}", false, "40%", "0 of 2 (0.0%)", []string{"61 marked a", "100 attempt a"}},
		{"attempts: {of: s, backend: a, count: 0}", false, "0", "no request of s was seen", nil},

		{"marked: {backend: a}", true, ">= 1", "2 (at 61.0s, 160.0s)", nil},
		{"marked: {backend: b, times: 0}", true, "0", "0", nil},
		{"marked: {backend: a, times: 1, during: 0s..100s}", true, "1", "1 (at 61.0s)", nil},
		{"marked: {backend: a, times: 0}", false, "0", "2 (at 61.0s, 160.0s)", []string{"61 marked r/1#1 a", "160 marked r/4#1 a"}},
		{`marked: {backend: "*", times: ">= 1"}`, false, ">= 1", "b: 0 (1 of 2 backends)", []string{"80 ended r/3#1 b reset 502 cached"}},

		{"out: {backend: a, for: 38s..40s, times: 2, still: true}", true, "for 38s..40s, times 2, still true", "2 (39.0s), still out since 160.0s", nil},
		{"out: {backend: b, times: 0}", true, "times 0", "never out", nil},
		{`out: {backend: b, for: 10s..11s, times: "<= 3"}`, true, "for 10s..11s, times <= 3", "never out", nil},
		{"out: {backend: a}", true, "times >= 1", "2 (39.0s), still out since 160.0s", nil},
		{"out: {backend: a, for: 10s..11s}", false, "for 10s..11s", "2 (39.0s), still out since 160.0s", []string{"61 marked a", "100 attempt a"}},
		{"out: {backend: b, for: 10s..11s}", false, "for 10s..11s", "never out", nil},
		{"out: {backend: a, still: false}", false, "still false", "2 (39.0s), still out since 160.0s", []string{"160 marked a"}},
		{"out: {backend: a, times: 2, still: true, during: 0s..100s}", false, "times 2, still true", "1 (39.0s)",
			[]string{"61 marked a", "100 attempt a"}},
		{`out: {backend: "*", times: 0}`, false, "times 0", "a: 2 (39.0s), still out since 160.0s (1 of 2 backends)", []string{"61 marked a", "100 attempt a", "160 marked a"}},

		{"in_rotation: {backend: a, at: 60s}", true, "in rotation at 60s", "in rotation", nil},
		{"in_rotation: {backend: a, at: 100s}", true, "in rotation at 100s", "in rotation", nil},
		{"in_rotation: {backend: a, at: 61s, is: false}", true, "out at 61s", "out from 61.0s to 100.0s", nil},
		{"in_rotation: {backend: a, during: 61s..100s, is: false}", true, "out throughout 61s..100s", "out from 61.0s to 100.0s", nil},
		{"in_rotation: {backend: a, during: 200s.., is: false}", true, "out throughout 200s..", "out from 160.0s to the end", nil},
		{"in_rotation: {backend: b}", true, "in rotation throughout the run", "in rotation", nil},
		{"in_rotation: {backend: a, at: 61s}", false, "in rotation at 61s", "out from 61.0s to 100.0s", []string{"61 marked a", "100 attempt a"}},
		{"in_rotation: {backend: a}", false, "in rotation throughout the run", "out from 61.0s to 100.0s, and 1 more time", []string{"61 marked a", "100 attempt a", "160 marked a"}},
		{"in_rotation: {backend: a, during: 61s..101s, is: false}", false, "out throughout 61s..101s", "out from 61.0s to 100.0s only", []string{"100 attempt r/4#1 a"}},
		{"in_rotation: {backend: b, at: 61s, is: false}", false, "out at 61s", "in rotation at 61.0s", []string{"61 attempt r/1#2 b"}},
		{"in_rotation: {backend: c}", false, "in rotation throughout the run", "no attempt on it was seen", nil},

		{"slow: {of: r, over: 59s, count: 2}", true, "2", "2 of 4 (requests 1, 4)", nil},
		{"slow: {of: q, over: 9s, count: 1}", true, "1", "1 of 1 (request 1)", nil},
		{"slow: {of: r, over: 60s, count: 2}", false, "2", "1 of 4 (request 1)",
			[]string{"71 response r/2 truncated 200", "80 response r/3 passed after_b_reset,_no_live_upstreams 502", "160 response r/4 passed after_a_read_timeout 504"}},
		{"slow: {of: r, over: 500ms, count: 0..1}", false, "<= 1", "3 of 4 (requests 1, 2, 4)",
			[]string{"62 response r/1 passed 200", "71 response r/2 truncated 200", "160 response r/4 passed after_a_read_timeout 504"}},

		{`latency: {of: r, p50: 1s, p99: "> 60s", max: 61s}`, true, "p50 1s, p99 > 60s, max 61s", "p50 1.0s, p99 61.0s, max 61.0s (4 requests)", nil},
		{`latency: {of: r, status: 502, max: "< 10ms"}`, true, "max < 10ms", "max 0.0s (1 request)", nil},
		{`latency: {of: r, p90: "< 5s"}`, false, "p90 < 5s", "p90 61.0s (4 requests)",
			[]string{"62 response r/1 passed took_61.0s 200", "160 response r/4 passed took_60.0s,_after_a_read_timeout 504"}},
		{`latency: {of: q, max: "> 10s"}`, false, "max > 10s", "max 10.0s (1 request)", []string{"290 sent q/1 no_answer_for_10.0s"}},
		{`latency: {of: r, status: closed, max: "> 10s"}`, false, "max > 10s", "no request of r ended as closed, of 4", nil},

		{"sequence: {of: r, status: [200, truncated, 502, 5xx]}", true, "[200, truncated, 502, 5xx]", "[200, truncated, 502, 504]", nil},
		{"sequence: {of: r, peers: [a, b, b, b, a]}", true, "[a, b, b, b, a]", "[a, b, b, b, a]", nil},
		{"sequence: {of: r, peers: [b, b], during: 70s..100s}", true, "[b, b]", "[b, b]", nil},
		{"sequence: {of: r, status: [200, 200, 502, 504]}", false, "[200, 200, 502, 504]", "[200, truncated, 502, 504] (entry 2 differs)",
			[]string{"71 response r/2 truncated 200", "80 response r/3 passed after_b_reset,_no_live_upstreams 502", "160 response r/4 passed after_a_read_timeout 504"}},
		{"sequence: {of: r, peers: [a, b, b, b, a, a]}", false, "[a, b, b, b, a, a]", "[a, b, b, b, a] (5 of 6 entries)", []string{"100 attempt r/4#1 a"}},
		{"sequence: {of: r, peers: [a, b, b]}", false, "[a, b, b]", "[a, b, b, b, a] (entry 4 differs)", []string{"80 attempt r/3#1 b cached", "100 attempt r/4#1 a"}},

		{"log: {contains: no live upstreams}", true, ">= 1", "1 (at 80.0s)", nil},
		{"log: {contains: temporarily disabled, count: 1, during: 100s..200s}", true, "1", "1 (at 160.0s)", nil},
		{"log: {contains: no live upstreams, count: 0}", false, "0", "1 (at 80.0s)", []string{"80 log r/3 no_live_upstreams_while_connecting"}},
		{`log: {contains: No Live}`, false, ">= 1", "0", []string{"61 log r/1 upstream_server_temporarily_disabled",
			"80 log r/3 no_live_upstreams_while_connecting", "160 log r/4 upstream_server_temporarily_disabled"}},

		{"duplicates: {of: r, count: 1}", true, "1", "1 of 4 (request 1)", nil},
		{"duplicates: {of: r, count: 0}", false, "0", "1 of 4 (request 1)", []string{"1 attempt r/1#1 a", "61 attempt r/1#2 b", "62 response r/1 passed 200"}},

		{"truncated: {of: r, count: 1}", true, "1", "1 of 4 (request 2)", nil},
		{`truncated: {of: r, count: 0, during: 0s..75s}`, false, "0", "1 of 2 (request 2)", []string{"70 attempt r/2#1 b cached", "71 response r/2 truncated 200"}},

		{"reused: {backend: b, count: 2}", true, "2", "2 of 4 attempts", nil},
		{"reused: {of: r, count: 2}", true, "2", "2 of 5 attempts", nil},
		{`reused: {of: r, backend: a, count: "> 0"}`, false, "> 0", "0 of 2 attempts", []string{"1 attempt r/1#1 a", "100 attempt r/4#1 a"}},
		{"reused: {backend: b, count: 0}", false, "0", "2 of 4 attempts", []string{"70 attempt r/2#1 b cached", "80 attempt r/3#1 b cached"}},
	} {
		t.Run(c.check, func(t *testing.T) {
			def := decoded(t, c.check)
			if p := def.Validate(); p != nil {
				t.Fatalf("refused: %v", p)
			}
			v := judged(t, def, run)
			kind, _, _ := strings.Cut(c.check, ":")
			want := Verdict{Check: c.check, Kind: kind, Want: c.want, Got: c.got, OK: c.ok}
			evidence := lines(v.Evidence)
			v.Evidence, v.Missed = nil, 0 // TestMissed has the rest
			// A range from 0 is written as a comparison.
			want.Check = strings.Replace(want.Check, "count: 0..1", `count: "<= 1"`, 1)
			if diff := cmp.Diff(want, v); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(c.evidence, evidence); diff != "" {
				t.Errorf("evidence: %s", diff)
			}
		})
	}
}

// failer is what *testing.T and *rapid.T have in common here.
type failer interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

// decoded reads a check as the loader does.
func decoded(t failer, text string) Definition {
	t.Helper()
	var entry map[string]yaml.Node
	if err := yaml.Unmarshal([]byte(text), &entry); err != nil {
		t.Fatal(err)
	}
	for _, k := range Kinds() {
		if node, ok := entry[k.Name]; ok {
			def := k.New()
			if err := node.Load(def, yaml.WithKnownFields()); err != nil {
				t.Fatal(err)
			}
			return def
		}
	}
	t.Fatalf("no kind in %q", text)
	return nil
}
