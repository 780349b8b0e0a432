package sim_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/scenario"
)

// session is what comes of a request to a backend through stream, with a
// proxy_timeout of 3 s.
func session(t *testing.T, method string, client scenario.Client, spec fault.Spec) []string {
	t.Helper()
	s := incident(t, `stream { upstream u { server a:80; } server { listen 9000; proxy_pass u; proxy_timeout 3s; } }`,
		map[string]fault.Rules{"a:80": {{Do: mustFault(t, spec)}}},
		scenario.Traffic{Name: "x", Method: method, Path: "/", Client: client, Load: scenario.Load{At: []time.Duration{0}}})
	return story(run(t, s), event.AttemptEnded, event.ResponseEnded)
}

// What isn't the HTTP that it should be reaches the client of a session as it is: the
// client gives up on it at once, and that ends the session. The outcomes are those of
// clients on sockets behind nginx 1.22.1.
func TestSessionWithMalformedAnswers(t *testing.T) {
	want := map[string]string{
		"bad_length": "invalid_header 200", "broken_chunk": "truncated 200", "conflicting_lengths": "invalid_header 200",
		"duplicate_length": "passed 200", "header_line": "invalid_header 200", "header_name": "invalid_header 200",
		"http09": "invalid_header", "junk": "invalid_header", "length_and_chunked": "passed 200",
		"no_last_chunk": "truncated 200", "status_line": "invalid_header", "two_responses": "passed 200",
	}
	for _, what := range fault.Malformations() {
		got := session(t, "GET", scenario.Client{}, &fault.MalformedSpec{What: what})
		if diff := cmp.Diff([]string{"0s ended a:80 relayed", "0s response " + want[what]}, got); diff != "" {
			t.Errorf("%s: want -, got +\n%s", what, diff)
		}
	}
}

// An answer that is HTTP is the client's too: whatever nginx made of the end of the
// backend's connection, it closes the client's in order.
func TestEndOfSession(t *testing.T) {

	closing := fault.RespondSpec{Framing: "close", Size: 2 << 10}
	odd := fault.RespondSpec{Headers: []fault.Header{{Name: "X-A", Value: "a\x01b"}}}
	short := fault.RespondSpec{Body: "hello", Length: 100}
	for _, c := range []struct {
		name   string
		method string
		client scenario.Client
		spec   fault.Spec
		want   []string
	}{
		{"a body to the end, reset", "GET", scenario.Client{}, &fault.ResetSpec{CutSpec: fault.CutSpec{At: "body", RespondSpec: closing}},
			[]string{"0s ended a:80 relayed reset", "0s response passed 200"}},
		{"a body to the end, which doesn't come", "GET", scenario.Client{}, &fault.HangSpec{CutSpec: fault.CutSpec{At: "body", RespondSpec: closing}},
			[]string{"3s ended a:80 relayed", "3s response passed 200"}},
		{"all of a body to the end, which doesn't come", "GET", scenario.Client{}, &fault.RespondSpec{Framing: "close", Size: 2 << 10, Then: "hang"},
			[]string{"3s ended a:80 relayed", "3s response passed 200"}},
		{"another protocol", "GET", scenario.Client{}, &fault.UpgradeSpec{},
			[]string{"3s ended a:80 relayed", "3s response passed 101"}},
		{"another protocol, cut", "GET", scenario.Client{}, &fault.UpgradeSpec{Then: "cut", Lasts: time.Second, With: "reset"},
			[]string{"1s ended a:80 relayed reset", "1s response passed 101"}},
		{"a part of a body", "GET", scenario.Client{}, &fault.HangSpec{CutSpec: fault.CutSpec{At: "body"}},
			[]string{"3s ended a:80 relayed", "3s response truncated 200"}},
		{"less than announced", "GET", scenario.Client{}, &short,
			[]string{"3s ended a:80 relayed", "3s response truncated 200"}},
		{"less than announced, to a request that is the connection's last", "GET", scenario.Client{HTTP10: true}, &short,
			[]string{"0s ended a:80 relayed", "0s response truncated 200"}},
		{"a part of a header", "GET", scenario.Client{}, &fault.CloseSpec{CutSpec: fault.CutSpec{At: "header"}},
			[]string{"0s ended a:80 relayed", "0s response truncated 200"}},
		{"a part of a header's first line", "GET", scenario.Client{}, &fault.CloseSpec{CutSpec: fault.CutSpec{At: "header", Bytes: 8}},
			[]string{"0s ended a:80 relayed", "0s response closed"}},
		{"only an interim response", "GET", scenario.Client{}, &fault.HangSpec{CutSpec: fault.CutSpec{At: "header", Bytes: 8, RespondSpec: fault.RespondSpec{Interim: 103}}},
			[]string{"3s ended a:80 relayed", "3s response closed"}},
		{"an interim response, and the final one", "GET", scenario.Client{}, &fault.RespondSpec{Interim: 103, After: fault.For(time.Second)},
			[]string{"1s ended a:80 relayed", "1s response passed 200"}},
		{"a HEAD with an interim response", "HEAD", scenario.Client{}, &fault.RespondSpec{Interim: 103, After: fault.For(time.Second), Size: 2 << 10},
			[]string{"1s ended a:80 relayed", "1s response passed 200"}},
		{"a header that no client takes", "GET", scenario.Client{}, &odd,
			[]string{"0s ended a:80 relayed", "0s response invalid_header 200"}},
		{"a header larger than a client takes", "GET", scenario.Client{}, &fault.RespondSpec{HeaderSize: 1<<20 + 1},
			[]string{"0s ended a:80 relayed", "0s response invalid_header 200"}},
	} {
		if diff := cmp.Diff(c.want, session(t, c.method, c.client, c.spec)); diff != "" {
			t.Errorf("%s: want -, got +\n%s", c.name, diff)
		}
	}
}
