//go:build e2e

package responses

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
)

// sending are requests that a backend doesn't read. 8 MiB are more than the kernel
// takes, 512 KiB are less. What is thawed is thawed 200 ms before it is given up.
const sending = `name: sending
jitter: 900ms
proxy:
  nginx: |
    upstream large { server unread1; server good1; }
    upstream small { server unread2; server good2; }
    upstream post { server unread3; server good3; }
    upstream frozen { server frozen4; server good4; }
    upstream thawed { server frozen5; server good5; }
    upstream part { server part6; server good6; }
    upstream late { server late7; server good7; }
    upstream early { server early8; keepalive 4; }
    upstream streamed { server unread9; server good9; }
    upstream reset { server reset10; server good10; }
    upstream off { server unread11; server good11; }
    server {
      client_max_body_size 64m;
      proxy_send_timeout 700ms; proxy_read_timeout 1500ms;
      proxy_http_version 1.1; proxy_set_header Connection "";
      location /large { proxy_pass http://large; }
      location /small { proxy_pass http://small; }
      location /post { proxy_pass http://post; }
      location /frozen { proxy_pass http://frozen; }
      location /thawed { proxy_pass http://thawed; }
      location /part { proxy_pass http://part; }
      location /late { proxy_pass http://late; }
      location /early { proxy_pass http://early; }
      location /streamed { proxy_pass http://streamed; proxy_request_buffering off; }
      location /reset { proxy_pass http://reset; }
      location /off { proxy_pass http://off; proxy_next_upstream off; }
    }
backends:
  unread1: [{do: {respond: {read: head, after: 30s}}}]
  unread2: [{do: {respond: {read: head, after: 30s}}}]
  unread3: [{do: {respond: {read: head, after: 30s}}}]
  frozen4: [{do: freeze}]
  frozen5: [{when: {until: 14s}, do: freeze}, {do: {respond: {after: 900ms}}}]
  part6: [{do: {respond: {read: 7MiB, after: 900ms}}}]
  late7: [{do: {respond: {read: 1KiB, after: 30s}}}]
  early8: [{when: {request: 1}, do: {respond: {read: head, status: 413, then: hang}}}]
  unread9: [{do: {respond: {read: head, after: 30s}}}]
  reset10: [{do: [{respond: {read: head, after: 300ms, then: reset}}]}]
  unread11: [{do: {respond: {read: head, after: 30s}}}]
traffic:
  large: {request: PUT /large, body: 8MiB, at: [500ms]}
  small: {request: PUT /small, body: 512KiB, at: [2500ms]}
  post: {request: POST /post, body: 8MiB, at: [5500ms]}
  frozen: {request: PUT /frozen, body: 8MiB, at: [7500ms]}
  part: {request: PUT /part, body: 8MiB, at: [9500ms]}
  late: {request: PUT /late, body: 8MiB, at: [11500ms]}
  thawed: {request: PUT /thawed, body: 8MiB, at: [13500ms]}
  early: {request: PUT /early, body: 8MiB, at: [15500ms]}
  again: {request: GET /early, at: [16500ms]}
  streamed: {request: PUT /streamed, body: 8MiB, at: [17500ms]}
  reset: {request: PUT /reset, body: 8MiB, at: [19500ms]}
  off: {request: PUT /off, body: 8MiB, at: [21500ms]}
expect:
  - attempts: {backend: unread1, outcome: send_timeout, count: 1}
  - attempts: {backend: unread2, outcome: read_timeout, count: 1}
  - fan_out: {of: large, each: 2}
  - fan_out: {of: post, each: 1}
  - status: {of: post, is: 504}
  - attempts: {backend: frozen4, outcome: send_timeout, count: 1}
  - attempts: {backend: part6, outcome: passed, count: 1}       # there was room for the rest
  - attempts: {backend: late7, outcome: send_timeout, count: 1}
  - attempts: {backend: frozen5, outcome: passed, count: 1}     # read in time, and then it has the read time-out
  - attempts: {backend: early8, outcome: passed, count: 2}      # an answer may come before all was sent
  - reused: {backend: early8, count: 0}                         # and then the connection isn't kept
  - fan_out: {of: streamed, each: 1}
  - marked: {backend: unread11, times: 1}
`

var _ = Describe("a request that a backend doesn't read", func() {
	promised("sending", sending, 180*time.Millisecond)
	It("ends by proxy_send_timeout on every engine as on nginx", func(ctx SpecContext) {
		agreed(ctx, "sending")
	}, NodeTimeout(2*time.Minute))
})
