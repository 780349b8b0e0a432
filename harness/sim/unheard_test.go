package sim_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nolive/nolive/harness/event"
)

// To a client that has left, nginx's second write fails: the exchange ends there unless
// the response is whole by then. e2e/agree holds the same against nginx.
func TestUnheard(t *testing.T) {
	const few, many = `bytes: 12, what: body, framing: chunked, body: "chunks in drops"`, `bytes: 12, what: body, framing: chunked, body: "many, many, many chunks in drops"`
	for _, c := range []struct {
		name, buffering, drip, want string
	}{
		{"left between the pieces", "", few, "800ms ended a:80 passed 200"},
		{"left before the first", "", few + ", after: 500ms", "950ms ended a:80 aborted 200"},
		{"pieces that wait for all of their chunk", "", many, "1.15s ended a:80 passed 200"},
		{"pages that aren't full wait", "", "bytes: 1500, what: body, size: 6KiB", "1.5s ended a:80 passed 200"},
		{"nothing waits", "proxy_buffering off;", "bytes: 1500, what: body, size: 6KiB", "800ms ended a:80 aborted 200"},
		{"two writes at once", "", "bytes: 20KiB, what: body, size: 45KiB", "450ms ended a:80 aborted 200"},
		{"two writes of the rest", "", "bytes: 20KiB, what: body, size: 40KiB", "450ms ended a:80 passed 200"},
		{"three writes of the rest", "proxy_buffering off;", "bytes: 20KiB, what: body, size: 40KiB", "450ms ended a:80 aborted 200"},
		{"closed behind it", "", "bytes: 1500, what: body, framing: close, size: 2KiB", "450ms ended a:80 passed 200"},
	} {
		got := eventsOf(t, fmt.Sprintf(`name: unheard
nginx_version: "1.22"
proxy:
  nginx: |
    upstream u { server a:80; keepalive 8; }
    server { location / { proxy_pass http://u; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_ignore_client_abort on; %s } }
backends:
  a:80: [{do: {drip: {every: 350ms, %s}}}]
traffic:
  left: {request: GET /, at: [100ms], client: {timeout: 200ms}}
expect:
  - fan_out: {of: left, each: 1}
`, c.buffering, c.drip))
		if diff := cmp.Diff([]string{c.want}, story(got, event.AttemptEnded)); diff != "" {
			t.Errorf("%s: want -, got +\n%s", c.name, diff)
		}
	}
}
