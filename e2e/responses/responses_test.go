//go:build e2e

// Package responses holds what nginx makes of a response's header and body, and
// what it counts, on all engines against the real nginx.
package responses

import (
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/nolive/nolive/e2e/kit"
)

func TestResponses(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "responses on sim, reference and nginx", kit.Nginx, kit.Reference)
}

var _ = kit.JUnit("responses")

// text is one request after the other, so that being late changes nothing.
const text = `name: responses
jitter: 900ms
proxy:
  nginx: |
    upstream app {
      server app1:8080 max_fails=0; server app2:8080 max_fails=0;
      keepalive 4;
    }
    server {
      proxy_http_version 1.1; proxy_set_header Connection "";
      location / { proxy_pass http://app; proxy_next_upstream off; proxy_read_timeout 2s; }
      location /listed { proxy_pass http://app; proxy_next_upstream invalid_header; }
      location /any { proxy_pass http://app; proxy_next_upstream invalid_header non_idempotent; }
      location /large { proxy_pass http://app; proxy_buffer_size 8k; proxy_buffers 8 8k; }
    }
backends:
  "*":
    - {when: {path: /h4095}, do: {respond: {header_size: 4095}}}
    - {when: {path: /h4096}, do: {respond: {header_size: 4096}}}
    - {when: {path: /h4097}, do: {respond: {header_size: 4097}}}
    - {when: {path: /large}, do: {respond: {header_size: 6KiB}}}
    - {when: {path: /listed}, do: {respond: {header_size: 5KiB}}}
    - {when: {path: /any}, do: {respond: {header_size: 5KiB}}}
    - {when: {path: /chunked}, do: {respond: {framing: chunked, size: 20KiB, chunk: 1KiB}}}
    - {when: {path: /short}, do: {respond: {length: 100, body: ten bytes., then: close}}}
    - {when: {path: /old}, do: {respond: {framing: http10}}}
traffic:
  h4095: {request: GET /h4095, at: [500ms]}
  h4096: {request: GET /h4096, at: [1500ms]}
  h4097: {request: GET /h4097, at: [2500ms]}
  large: {request: GET /large, at: [3500ms]}
  listed: {request: GET /listed, at: [4500ms]}
  post: {request: POST /listed, at: [5500ms]}
  any: {request: POST /any, at: [6500ms]}
  chunked: {request: GET /chunked, at: [7500ms]}
  head: {request: HEAD /chunked, at: [8500ms]}
  short: {request: GET /short, at: [9500ms]}
  old: {request: GET /old, at: [10500ms]}
  again: {request: GET /, at: [11500ms, 12500ms]}
expect:
  - status: {of: h4095, is: 200}
  - status: {of: h4096, is: truncated}   # nginx reads its body into a buffer without room
  - status: {of: h4097, is: 502}
  - status: {of: large, is: 200}
  - fan_out: {of: listed, each: 2}
  - fan_out: {of: post, each: 1}
  - fan_out: {of: any, each: 2}
  - status: {of: chunked, is: 200}
  - status: {of: short, is: truncated}
`

var _ = Describe("the response", func() {
	promised("responses", text, 900*time.Millisecond)
	It("is read by every engine as by nginx", func(ctx SpecContext) {
		agreed(ctx, "responses")
	}, NodeTimeout(2*time.Minute))
})
