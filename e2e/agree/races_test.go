//go:build e2e

package agree

import (
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/event"
)

// races are the exceptions that are a race of nginx with a backend or the kernel:
// the same request, many times, has one of a few ends, and nothing else may follow.
var races = map[string]struct {
	scenario string
	speed    float64
	// ends are the outcomes that the attempts on a may have.
	ends []event.Outcome
	// within bounds how long an attempt on a takes, zero for any time.
	within [2]time.Duration
}{
	"an end without a word in a full cache": {`name: without-a-word
proxy:
  nginx: |
    upstream u { server a:80; server b:80; keepalive 1; }
    server { location / { proxy_pass http://u; proxy_http_version 1.1; proxy_set_header Connection ""; } }
backends:
  a:80:
    - do: {keepalive: {requests: 1, silent: true}}
traffic:
  get: {request: GET /, times: 60, pause: 100ms}
  head: {request: HEAD /, times: 60, start: 50ms, pause: 100ms}
expect:
  - status: {of: get, is: 200}
  - status: {of: head, is: 200}
  - marked: {backend: "*", times: 0}
  - reused: {backend: "a:80", count: 0}
`, 1, []event.Outcome{event.Passed}, [2]time.Duration{}},
	"a SYN that is sent again": {`name: sent-again
proxy:
  nginx: |
    upstream u { server a:80; server b:80 backup; }
    server { location / { proxy_pass http://u; proxy_connect_timeout 3s; } }
backends:
  a:80:
    - when: {from: 100ms, until: 800ms}
      do: blackhole
traffic:
  t: {request: GET /, at: [300ms, 400ms, 500ms, 600ms]}
expect:
  - status: {of: t, is: 200}
  - marked: {backend: "*", times: 0}
`, 1, []event.Outcome{event.Passed}, [2]time.Duration{900 * time.Millisecond, 2 * time.Second}},
	"an answer right behind the rest of another": {`name: right-behind
proxy:
  nginx: |
    upstream u { server a:80; keepalive 8; }
    server { keepalive_timeout 1s; location / { proxy_pass http://u; proxy_http_version 1.1; proxy_set_header Connection ""; } }
backends:
  a:80:
    - do: {respond: {status: 200, interim: 100, after: 250ms}}
traffic:
  t: {request: HEAD /, rate: 10/s, for: 6s, client: {timeout: 500ms}}
expect:
  - marked: {backend: "*", times: 0}
  - attempts: {backend: "a:80", count: 60}
`, 1, []event.Outcome{event.Passed, event.Aborted}, [2]time.Duration{}},
	"an interim response without proxy_buffering": {`name: unbuffered-interim
proxy:
  nginx: |
    upstream u { server a:80; server b:80 backup; }
    server { location / { proxy_pass http://u; proxy_buffering off; } }
backends:
  a:80:
    - do: {respond: {status: 200, interim: 103}}
traffic:
  t: {request: GET /, times: 100}
expect:
  - status: {of: t, is: 200}
  - marked: {backend: "*", times: 0}
`, 10, []event.Outcome{event.Passed, event.Aborted}, [2]time.Duration{}},
	"a large body on a kept-alive connection": {`name: large-body
proxy:
  nginx: |
    upstream u { server a:80; keepalive 4; }
    server { location / { proxy_pass http://u; proxy_http_version 1.1; proxy_set_header Connection ""; client_max_body_size 2m; } }
traffic:
  t: {request: PUT /, times: 30, body: 200KiB, pause: 50ms}
expect:
  - status: {of: t, is: 200}
  - reused: {backend: "a:80", count: 29}
`, 1, []event.Outcome{event.Passed}, [2]time.Duration{0, time.Second}},
}

var _ = Describe("A race", func() {
	for name, race := range races {
		exception{scenario: race.scenario, speed: race.speed, tolerated: 90 * time.Millisecond, check: func(g Gomega, r *harness.Result) {
			g.Expect(r.OK()).To(BeTrue(), "%v", r.Verdicts)
			seen, began := map[event.Outcome]int{}, map[event.Request]time.Duration{}
			for _, ev := range r.Events {
				switch {
				case ev.Peer != "a:80":
				case ev.Kind == event.AttemptStarted:
					began[ev.Request] = ev.At
				case ev.Kind == event.AttemptEnded:
					seen[ev.Outcome]++
					g.Expect(ev.Outcome).To(BeElementOf(race.ends), "%v", ev)
					if race.within[1] > 0 {
						g.Expect(ev.At-began[ev.Request]).To(And(BeNumerically(">=", race.within[0]), BeNumerically("<", race.within[1])), "%v", ev)
					}
				}
			}
			fmt.Fprintf(GinkgoWriter, "%s on %s: %v\n", name, r.Engine, seen)
			g.Expect(seen).NotTo(BeEmpty())
		}}.holds(name+" has one of its ends", sockets...)
	}

	exception{speed: 1, tolerated: 20 * time.Millisecond, scenario: `name: workers
proxy:
  nginx: |
    worker_processes 3;
    upstream u { server a:80 max_fails=2 fail_timeout=1s; server b:80 weight=2 fail_timeout=1s; keepalive 2; }
    server { location / { proxy_pass http://u; proxy_http_version 1.1; proxy_set_header Connection ""; } }
backends:
  a:80:
    - when: {every: 3}
      do: reset
traffic:
  get: {request: GET /, times: 90, start: 30ms, pause: 100ms}
  kept: {request: POST /, times: 90, start: 80ms, pause: 100ms, client: {keepalive: true}}
expect:
  - fan_out: {of: get, each: 1..2}
`, check: func(g Gomega, r *harness.Result) {
		g.Expect(r.OK()).To(BeTrue(), "%v", r.Verdicts)
		for _, u := range r.Replay() {
			g.Expect(u.First).To(BeNil(), "%v", u.First)
			g.Expect(u.Decisions).To(BeNumerically(">", 300))
		}
		kept := map[int]bool{}
		for _, ev := range r.Events {
			if ev.Kind == event.AttemptStarted && ev.Request.Traffic == "kept" {
				kept[ev.Worker] = true
			}
		}
		g.Expect(kept).To(HaveLen(1), "a client's connection stays with its worker")
	}}.holds("of workers for a connection changes no decision", harness.Engines()...)
})
