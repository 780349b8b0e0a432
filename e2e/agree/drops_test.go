//go:build e2e

package agree

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/nolive/nolive/e2e/kit"
	"github.com/nolive/nolive/harness/agree"
	"github.com/nolive/nolive/harness/scenario"
)

// drops are responses that come in pieces, as a fault says it.
var drops = map[string]string{
	"few":     `bytes: 12, framing: chunked, body: "chunks in drops"`,
	"many":    `bytes: 12, framing: chunked, body: "many, many, many chunks in drops"`,
	"head":    `bytes: 30, what: both, framing: chunked, body: "chunks in drops"`,
	"length":  `bytes: 1500, size: 6KiB`,
	"close":   `bytes: 1500, framing: close, size: 6KiB`,
	"large":   `bytes: 20KiB, size: 45KiB`,
	"ends":    `bytes: 20KiB, size: 25KiB`,
	"chunked": `bytes: 20KiB, framing: chunked, size: 70KiB`,
	"rest":    `bytes: 20KiB, size: 40KiB`,
	"once":    `bytes: 64KiB, size: 10KiB`,
	"two":     `bytes: 64KiB, size: 8KiB`,
	"pages":   `bytes: 4KiB, framing: close, size: 8KiB`,
	"head2":   `bytes: 1500, size: 6KiB, header_size: 1600B`,
}

// dropped is a case in which the client leaves a response in pieces, and nginx doesn't
// mind: what it still reads, when it gives up, and whether it keeps the connection.
const dropped = `name: NAME
proxy:
  nginx: |
    upstream NAME { server NAME-a:80; keepalive 4; }
    server {
      listen %[1]d;
      location / {
        proxy_pass http://NAME; proxy_http_version 1.1; proxy_set_header Connection "";
        proxy_ignore_client_abort on;%[2]s
      }
    }
backends:
  NAME-a:80:
    - when: {path: /left}
      do: {drip: {every: 350ms, after: %[3]s, %[4]s}}
traffic:
  NAME-left: {request: GET /left, to: "%[1]d", at: [130ms], client: {timeout: 200ms}}
  NAME-next: {request: GET /, to: "%[1]d", at: [5030ms]}
expect:
  - fan_out: {of: NAME-left, each: 1}
`

var _ = Describe("A client that leaves a response in pieces", func() {
	It("is given up at the same instant by all", func(ctx SpecContext) {
		var cases []*agree.Case
		for _, name := range slices.Sorted(maps.Keys(drops)) {
			fault := drops[name]
			if name != "head" {
				fault += ", what: body"
			}
			for _, buffering := range []string{"", " proxy_buffering off;", " proxy_busy_buffers_size 16k;"} {
				for _, after := range []string{"0ms", "500ms"} {
					n := len(cases)
					text := strings.ReplaceAll(fmt.Sprintf(dropped, 5100+n, buffering, after, fault), "NAME", fmt.Sprintf("drops%d", n))
					f, problems := scenario.Parse(name+".yaml", []byte(text), nil)
					Expect(problems.Err()).NotTo(HaveOccurred())
					c, err := agree.Cases(f, kit.Version())
					Expect(err).NotTo(HaveOccurred())
					cases = append(cases, c...)
				}
			}
		}
		hold(ctx, cases)
	}, SpecTimeout(3*time.Minute))
})
