//go:build e2e

package responses

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
)

// streamed has an upstream of its own for each request, so that no mark of one
// matters to another.
const streamed = `name: streamed
jitter: 900ms
proxy:
  nginx: |
    upstream reset { server reset1; server good1; }
    upstream small { server reset2; server good2; }
    upstream refused { server refused3; server good3; }
    upstream listed { server listed4; server good4; }
    upstream hung { server hung5; server good5; }
    upstream whole { server reset6; server good6; }
    upstream cached { server cached7; keepalive 4; }
    upstream first { server reset8; }
    upstream second { server good8; }
    upstream bodyless { server reset9; server good9; }
    server {
      proxy_request_buffering off;
      proxy_read_timeout 1s;
      proxy_http_version 1.1; proxy_set_header Connection "";
      location /reset { proxy_pass http://reset; }
      location /small { proxy_pass http://small; }
      location /refused { proxy_pass http://refused; }
      location /listed { proxy_pass http://listed; proxy_next_upstream error timeout http_503; }
      location /hung { proxy_pass http://hung; }
      location /whole { proxy_pass http://whole; proxy_request_buffering on; }
      location /cached { proxy_pass http://cached; }
      location /page { proxy_pass http://first; error_page 502 = @second; }
      location @second { proxy_pass http://second; }
      location /bodyless { proxy_pass http://bodyless; }
    }
backends:
  reset1: [{do: reset}]
  reset2: [{do: reset}]
  refused3: [{do: refuse}]
  listed4: [{do: {status: 503}}]
  hung5: [{do: hang}]
  reset6: [{do: reset}]
  cached7: [{when: {exchange: 2}, do: reset}]
  reset8: [{do: reset}]
  reset9: [{do: reset}]
traffic:
  reset: {request: PUT /reset, body: 200KiB, at: [500ms]}
  small: {request: PUT /small, body: 8KiB, at: [1500ms]}
  refused: {request: PUT /refused, body: 200KiB, at: [2500ms]}
  listed: {request: PUT /listed, body: 200KiB, at: [3500ms]}
  hung: {request: PUT /hung, body: 200KiB, at: [4500ms]}
  whole: {request: PUT /whole, body: 200KiB, at: [6500ms]}
  warm: {request: GET /cached, at: [7500ms]}
  cached: {request: PUT /cached, body: 200KiB, at: [8500ms]}
  page: {request: PUT /page, body: 200KiB, at: [9500ms]}
  bodyless: {request: GET /bodyless, at: [11500ms]}
expect:
  - fan_out: {of: reset, each: 1}
  - status: {of: reset, is: 502}
  - fan_out: {of: small, each: 2}      # all of it was there when nginx looked
  - fan_out: {of: refused, each: 2}    # nothing of it had been sent
  - fan_out: {of: listed, each: 1}
  - status: {of: listed, is: 503}      # the backend's own, and it isn't counted
  - fan_out: {of: hung, each: 1}
  - status: {of: hung, is: 504}
  - fan_out: {of: whole, each: 2}
  - fan_out: {of: cached, each: 1}     # the free try of a kept connection isn't given
  - status: {of: page, is: 504}        # announced to the second backend, and gone
  - fan_out: {of: bodyless, each: 2}
`

var _ = Describe("a request whose body is streamed", func() {
	promised("streamed", streamed, 900*time.Millisecond)
	It("is tried again on every engine as on nginx", func(ctx SpecContext) {
		agreed(ctx, "streamed")
	}, NodeTimeout(2*time.Minute))
})
