//go:build e2e

package responses

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
)

// leaving are clients that don't wait for their answers, at every stage of a
// request. Each has an upstream of its own, and leaves 100 ms before or after
// anything else.
const leaving = `name: leaving
jitter: 900ms
proxy:
  nginx: |
    upstream header { server hung1; server good1; }
    upstream connect { server dark2; server good2; }
    upstream body { server drip3; server good3; }
    upstream second { server reset4; server hung4; }
    upstream ignored { server hung5; server good5; }
    upstream late { server late6; server good6; }
    upstream post { server late7; server good7; }
    upstream dark { server dark8; server good8; }
    upstream status { server late9; server good9; }
    upstream nobody { server hung10; server hung11; }
    upstream direct { server drip12; }
    upstream kept { server slow13; keepalive 4; }
    server {
      proxy_read_timeout 1s; proxy_connect_timeout 850ms;
      location /header { proxy_pass http://header; }
      location /connect { proxy_pass http://connect; }
      location /body { proxy_pass http://body; }
      location /second { proxy_pass http://second; }
      location /direct { proxy_pass http://direct; proxy_buffering off; }
      location /kept { proxy_pass http://kept; proxy_http_version 1.1; proxy_set_header Connection ""; }
      location /ignored { proxy_pass http://ignored; proxy_ignore_client_abort on; }
      location /late { proxy_pass http://late; proxy_ignore_client_abort on; }
      location /post { proxy_pass http://post; proxy_ignore_client_abort on; }
      location /dark { proxy_pass http://dark; proxy_ignore_client_abort on; }
      location /status { proxy_pass http://status; proxy_ignore_client_abort on; proxy_next_upstream http_503; }
      location /nobody { proxy_pass http://nobody; proxy_ignore_client_abort on; }
    }
backends:
  hung1: [{do: hang}]
  dark2: [{do: blackhole}]
  drip3: [{do: {drip: {every: 200ms, bytes: 5000, size: 40KiB, what: body}}}]
  reset4: [{do: reset}]
  hung4: [{do: hang}]
  hung5: [{do: hang}]
  late6: [{do: [{wait: 700ms}, reset]}]
  late7: [{do: [{wait: 700ms}, reset]}]
  dark8: [{do: blackhole}]
  late9: [{do: {status: {code: 503, after: 700ms}}}]
  hung10: [{do: hang}]
  hung11: [{do: hang}]
  drip12: [{do: {drip: {every: 200ms, bytes: 5000, size: 40KiB, what: body}}}]
  slow13: [{when: {request: 1}, do: {respond: {after: 700ms}}}]
traffic:
  header: {request: GET /header, at: [500ms], client: {timeout: 400ms}}
  connect: {request: GET /connect, at: [1500ms], client: {timeout: 400ms}}
  body: {request: GET /body, at: [2500ms], client: {timeout: 500ms}}
  second: {request: GET /second, at: [3500ms], client: {timeout: 400ms}}
  direct: {request: GET /direct, at: [4500ms], client: {timeout: 500ms}}
  kept: {request: GET /kept, at: [5500ms], client: {timeout: 400ms}}
  again: {request: GET /kept, at: [6500ms]}      # the connection of the one that left was closed
  ignored: {request: GET /ignored, at: [7500ms], client: {timeout: 400ms}}
  late: {request: GET /late, at: [9500ms], client: {timeout: 400ms}}
  post: {request: POST /post, at: [10500ms], client: {timeout: 400ms}}
  dark: {request: GET /dark, at: [11500ms], client: {timeout: 400ms}}
  status: {request: GET /status, at: [13500ms], client: {timeout: 400ms}}
  nobody: {request: GET /nobody, at: [14500ms], client: {timeout: 400ms}}
  end: {request: GET /header, at: [17500ms]}     # lets nginx finish the one before
expect:
  - attempts: {backend: hung1, outcome: aborted, count: 1}
  - marked: {backend: hung1, times: 0}
  - attempts: {backend: dark2, outcome: aborted, count: 1}
  - attempts: {backend: hung4, outcome: aborted, count: 1}
  - marked: {backend: reset4, times: 1}
  - reused: {backend: slow13, count: 0}
  - attempts: {backend: hung5, outcome: read_timeout, count: 1}
  - attempts: {backend: good5, outcome: passed, count: 1}
  - attempts: {backend: late6, outcome: reset, count: 1}
  - fan_out: {of: late, each: 2}
  - fan_out: {of: post, each: 1}
  - marked: {backend: late7, times: 1}
  - fan_out: {of: dark, each: 2}
  - fan_out: {of: status, each: 2}
  - marked: {backend: hung11, times: 1}
`

var _ = Describe("a client that leaves", func() {
	promised("leaving", leaving, 90*time.Millisecond)
	It("ends a request, or doesn't, on every engine as on nginx", func(ctx SpecContext) {
		agreed(ctx, "leaving")
	}, NodeTimeout(2*time.Minute))
})
