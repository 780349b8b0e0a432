//go:build e2e

package agree

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/event"
)

// An answer that comes while the proxy writes the request is read, or lost to the reset
// behind it. Which of the two decides the rest: what was read is passed on, and what was
// lost is a failure like any other.
var _ = Describe("An early answer at once", func() {
	exception{speed: 10, scenario: `name: early-at-once
proxy:
  nginx: |
    upstream u { server a:80 max_fails=0; server b:80 backup; }
    server { client_max_body_size 0; location / { proxy_pass http://u; } }
backends:
  a:80:
    - do: {respond: {status: 413, read: head, then: close}}
traffic:
  small: {request: PUT /, times: 50, body: 4KiB}
  large: {request: PUT /, times: 50, body: 1MiB, start: 20s}
expect:
  - share: {of: small, status: 413, is: "> 50%"}
  - attempts: {backend: "a:80", count: 100}
`, check: func(g Gomega, r *harness.Result) {
		g.Expect(r.OK()).To(BeTrue(), "%v", r.Verdicts)
		seen := map[event.Outcome]int{}
		read := map[event.Request]event.Outcome{}
		for _, ev := range r.Events {
			switch {
			case ev.Kind == event.AttemptEnded && ev.Peer == "a:80":
				g.Expect(ev.Outcome).To(BeElementOf(event.Passed, event.Reset), "%v", ev)
				read[ev.Request] = ev.Outcome
				seen[ev.Outcome]++
			case ev.Kind == event.ResponseEnded:
				want := map[event.Outcome]int{event.Passed: 413, event.Reset: 200}[read[ev.Request]]
				g.Expect(ev.Outcome).To(Equal(event.Passed), "%v", ev)
				g.Expect(ev.Status).To(Equal(want), "%v after %v", ev, read[ev.Request])
			}
		}
		fmt.Fprintf(GinkgoWriter, "early on %s: %v\n", r.Engine, seen)
	}}.holds("is passed on, or lost to the reset behind it", sockets...)
})
