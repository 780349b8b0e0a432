package harness_test

import (
	"testing"

	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/event"
)

// A session whose client leaves while the proxy connects is passed on when it has
// connected: the backend counts a request of nobody, and its third one hangs.
func TestRequestOfAClientThatLeft(t *testing.T) {
	s := parse(t, "left.yaml", `name: left
proxy:
  nginx: |
    stream {
      upstream u { server gone:80; server a:80; }
      server { listen 9000; proxy_pass u; proxy_connect_timeout 1s; proxy_timeout 2s; }
    }
backends:
  gone:80: [{do: blackhole}]
  a:80:
    - when: {request: 2}
      do: hang
traffic:
  leaves: {request: GET /, times: 1, client: {timeout: 500ms}}
  stays: {request: GET /, times: 2, start: 3s}
max_speed: 2
expect:
  - status: {of: stays, is: closed}
`).Scenarios[0]
	for _, e := range []harness.Engine{harness.Sim, harness.Reference} {
		r := run(t, harness.Runner{}, s, e)
		var got []string
		for _, ev := range r.Events {
			if ev.Kind == event.BackendGot {
				got = append(got, ev.Request.String()+" "+ev.Detail)
			}
		}
		want := []string{"leaves/1 ", "stays/1 hang", "stays/2 "}
		if len(got) != 3 || got[0] != want[0] || got[1] != want[1] || got[2] != want[2] {
			t.Errorf("%s: a got %v, want %v", e, got, want)
		}
	}
}

// What a proxy does for a client that has left belongs to the run although nothing comes
// after it: with proxy_ignore_client_abort it times out on both servers, and marks them.
func TestLastClientLeaves(t *testing.T) {
	s := parse(t, "last.yaml", `name: last
proxy:
  nginx: |
    upstream u { server a:80 max_fails=1; server b:80 max_fails=1; }
    server { location / { proxy_pass http://u; proxy_read_timeout 2s; proxy_ignore_client_abort on; } }
backends:
  "*": [{do: hang}]
traffic:
  leaves: {request: GET /, times: 1, client: {timeout: 500ms}}
max_speed: 2
expect:
  - status: {of: leaves, is: client_timeout}
  - fan_out: {of: leaves, each: 2}
  - marked: {backend: "a:80", times: 1}
  - marked: {backend: "b:80", times: 1}
`).Scenarios[0]
	for _, e := range []harness.Engine{harness.Sim, harness.Reference} {
		if r := run(t, harness.Runner{}, s, e); !r.OK() {
			t.Errorf("%s: %v", e, r.Verdicts)
		}
	}
}
