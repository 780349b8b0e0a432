package harness_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nolive/nolive/harness"
)

// A backend that is down while nobody asks it proves nothing, however well its port
// was closed.
func TestAFaultThatNobodyMetIsTold(t *testing.T) {
	for name, c := range map[string]struct {
		keep, rules, load string
		want              []string
	}{
		"nobody is passed on": {
			rules: "{a:80: [{do: refuse}], b:80: [{do: freeze}]}", load: "request: GET /api, times: 3",
			want: []string{"rule 1 of backend a:80 never applied: refuse", "rule 1 of backend b:80 never applied: freeze"},
		},
		"met": {rules: "{a:80: [{do: refuse}], b:80: [{do: refuse}]}", load: "request: GET /, times: 3"},
		"between two requests": {
			rules: "{a:80: [{when: {from: 10s, until: 20s}, do: refuse}]}", load: "request: GET /, at: [0s, 0s, 30s, 30s]",
			want: []string{"rule 1 of backend a:80 never applied: refuse"},
		},
		"it ends idle connections": {
			keep: "keepalive 2;", rules: "{a:80: [{when: {from: 10s, until: 20s}, do: refuse}]}", load: "request: GET /, at: [0s, 0s, 30s, 30s]",
		},
		"the second of two windows": {
			rules: "{a:80: [{when: {from: 10s, until: 20s}, do: refuse}, {when: {from: 25s, until: 35s}, do: refuse}]}", load: "request: GET /, at: [0s, 0s, 30s, 30s]",
			want: []string{"rule 1 of backend a:80 never applied: refuse"},
		},
		"in the middle of an answer": {
			rules: "{a:80: [{when: {from: 10s, until: 20s}, do: freeze}, {do: {respond: {after: 15s}}}]}", load: "request: GET /, at: [0s, 0s]",
		},
		"it is out of rotation by then": {
			rules: "{a:80: [{when: {until: 1s}, do: reset}, {when: {from: 2s, until: 4s}, do: freeze}]}", load: "request: GET /, at: [0s, 0s, 3s, 3s]",
			want: []string{"rule 2 of backend a:80 never applied: freeze"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			src := "name: x\nnginx_version: \"1.22\"\nproxy:\n  nginx: |\n    upstream app { server a:80; server b:80; " + c.keep + " }\n" +
				"    server { location / { proxy_pass http://app; proxy_http_version 1.1; proxy_set_header Connection \"\"; } location /api { return 200; } }\n" +
				"backends: " + c.rules + "\ntraffic: {t: {" + c.load + "}}\nexpect:\n  - status: {of: t, is: closed, count: 0}\n"
			var got []string
			for _, u := range run(t, harness.Runner{}, parse(t, "x.yaml", src).Scenarios[0], harness.Sim).Unapplied {
				got = append(got, u.String())
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}
