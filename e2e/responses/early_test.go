//go:build e2e

package responses

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/event"
)

// early answers an upload before it has read it, and closes at once: the kernel
// resets the connection because of what is unread. Whether the proxy reads the
// answer before it finds out by writing is a race, on nginx too.
const early = `name: early-and-closed
jitter: 900ms
proxy:
  nginx: |
    upstream app { server app1; server app2; }
    server { client_max_body_size 0; location / { proxy_pass http://app; } }
backends:
  app1: [{do: {respond: {status: 413, read: head, then: close}}}]
  app2: [{do: {respond: {status: 413, read: head, then: close}}}]
traffic:
  uploads: {request: POST /, body: 4MiB, times: 8, start: 500ms, pause: 200ms}
expect:
  - fan_out: {of: uploads, each: 0..1}
`

var _ = Describe("an early answer that is closed at once", func() {
	promised("early", early, 900*time.Millisecond)
	for _, e := range []harness.Engine{harness.Sim, harness.Reference, harness.Nginx} {
		It("is passed on uncounted, or is a counted failure, on "+string(e), func(ctx SpecContext) {
			r := promises["early"].sim
			if e != harness.Sim {
				r = runs.Result(ctx, on("early", e))
			}
			for _, v := range r.Verdicts {
				Expect(v.OK).To(BeTrue(), "%s: got %s", v.Check, v.Got)
			}
			attempts, noLive, answers := 0, 0, map[int]int{}
			failed, marked := map[string]int{}, map[string]int{}
			for _, v := range r.Events {
				switch v.Kind {
				case event.AttemptEnded:
					attempts++
					if v.Outcome == event.Reset {
						failed[v.Peer]++
						Expect(v.Status).To(Equal(502))
						continue
					}
					Expect(v.Outcome).To(Equal(event.Passed), "%v", v)
					Expect(v.Status).To(Equal(413))
				case event.PeerMarked:
					marked[v.Peer]++
				case event.NoLive:
					noLive++
				case event.ProxyAnswered:
					answers[v.Status]++
				}
			}
			Expect(attempts + noLive).To(Equal(8))
			Expect(marked).To(Equal(failed), "every failure marks, and nothing else does")
			if noLive > 0 {
				Expect(marked).To(HaveLen(2), "nobody is live only once both have failed")
			}
			Expect(answers[413] + answers[502]).To(Equal(8))
			GinkgoWriter.Println(e, "answers", answers, "failed", failed, "no live", noLive)
		}, NodeTimeout(time.Minute))
	}
})
