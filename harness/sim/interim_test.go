package sim_test

import (
	"testing"

	"github.com/nolive/nolive/harness/event"
)

// An interim response with which an error page answers has the error's status, so its
// client has the final response. Without that it waits for one.
func TestInterimOfAnErrorPage(t *testing.T) {
	for page, want := range map[string]string{"502 @again": "1s response passed 502", "502 = @again": "1s response closed"} {
		got := eventsOf(t, `name: interim
nginx_version: "1.22"
proxy:
  nginx: |
    upstream u { server gone:80; }
    upstream v { server y:80; }
    server {
      location / { proxy_pass http://u; error_page `+page+`; }
      location @again { proxy_pass http://v; proxy_read_timeout 1s; }
    }
backends:
  gone:80: [{do: refuse}]
  y:80: [{do: {respond: {status: 503, interim: 103, after: 5s}}}]
traffic:
  t: {request: GET /, at: [0s], client: {http: "1.0"}}
expect:
  - status: {of: t, is: 502}
`)
		if ends := story(got, event.ResponseEnded); len(ends) != 1 || ends[0] != want {
			t.Errorf("error_page %s: got %q, want %q", page, ends, want)
		}
	}
}
