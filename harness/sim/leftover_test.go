package sim_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nolive/nolive/harness/event"
)

// What is left of an answer that nginx is done with begins the next one on that
// connection, and the backend reads the request behind it. e2e/agree holds the same
// against nginx.
func TestLeftOfAnAnswer(t *testing.T) {
	got := eventsOf(t, `name: left-of-an-answer
nginx_version: "1.22"
proxy:
  nginx: |
    upstream u { server a:80; keepalive 8; }
    server { keepalive_timeout 2s; location / { proxy_pass http://u; proxy_http_version 1.1; proxy_set_header Connection ""; } }
backends:
  a:80:
    - when: {request: 1}
      do: {respond: {status: 200, interim: 103, after: 600ms, size: 40B}}
    - do: {respond: {status: 203, after: 250ms}}
traffic:
  head: {request: HEAD /, at: [100ms, 300ms]}
  get: {request: GET /, at: [800ms, 1500ms]}
expect:
  - status: {of: get, is: 203}
`)
	want := []string{
		"100ms got a:80 respond",      // the first HEAD
		"100ms ended a:80 passed 103", // and its connection is kept
		"700ms got a:80 respond",      // the second, on it, behind the 200
		"700ms ended a:80 passed 200", // which is its answer
		"950ms got a:80 respond",      // GET, on the same, behind the answer to that
		"1.2s ended a:80 passed 203",  // with the second answer's header and its own body
		"1.5s got a:80 respond",       // more than the announced body ended the connection
		"1.75s ended a:80 passed 203",
	}
	if diff := cmp.Diff(want, story(got, event.BackendGot, event.AttemptEnded)); diff != "" {
		t.Errorf("want -, got +\n%s", diff)
	}
}
