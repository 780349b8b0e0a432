//go:build e2e

package e2e

import (
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/nolive/nolive/e2e/kit"
	"github.com/nolive/nolive/harness"
)

// onTheEdge says why two runs of the same plan may differ in single requests: a
// millisecond decides who is picked, or whether a window is open. Those agree on
// the instants that occurred, which is held for every scenario.
var onTheEdge = map[string]string{
	"slow-report":                                "a crowd: hundreds of time-outs that meet each other",
	"slow-report/fourteen-who-wait":              "a crowd",
	"slow-report/fixed":                          "a crowd",
	curlLoop:                                     "pauses that end on the edge of a whole second",
	"cut-downloads":                              "nine clients at once, whose order decides who gets which server",
	"accept-queue-at-shutdown":                   "forty clients within a second, whose order decides who gets which server",
	"accept-queue-at-shutdown/reads":             "forty clients within a second",
	"keepalive-one-sided/as-it-should-be":        "two clients that share a pool",
	"flaky-pair":                                 "45 requests a second, of which a failure takes those within a millisecond along",
	"flaky-pair/max-fails-five":                  "45 requests a second",
	"flaky-pair/never-marked":                    "45 requests a second",
	"one-of-two-refuses":                         "requests at the very instant at which the port closes",
	"single-server-never-marked":                 "requests at the very instants at which the port closes and opens",
	"single-server-never-marked/a-second-server": "requests at the very instants at which the ports close and open",
	"counters-per-worker":                        "which worker gets a connection is drawn, or the kernel's choice",
	"max-conns-per-worker":                       "a burst of which the first ones are served, whoever they are",
	"max-conns-per-worker/zone":                  "a burst",
	"max-conns-per-worker/one-worker":            "a burst",
	"fast-failures-attract":                      "twenty clients at once, whose order decides who gets which server",
	"fast-failures-attract/round-robin":          "twenty clients at once",
	"fast-failures-attract/random-two":           "twenty clients at once, and a draw",
	"never-the-same-server":                      "fifty clients at once, whose order decides who gets which server",
	"close-when-idle":                            "closes that cross a request, within a millisecond or two",
	"warm-pool-repeats/two-servers":              "eight clients at once, whose order decides who gets which server",
}

// crowded are the scenarios with a crowd.
var crowded = map[string]bool{"slow-report": true, "slow-report/fixed": true}

var _ = Describe("The engines agree", func() {
	for _, s := range shipped() {
		for _, k := range engines(s) {
			if k.engine == harness.Sim {
				continue
			}
			if onTheEdge[s.Title()] == "" || k.speed > 0 {
				It("on the same plan: sim and "+k.String(), k.labels(), func(ctx SpecContext) {
					want := result(ctx, key{s.Title(), harness.Sim, 0, onMachine})
					Expect(kit.Differences(want, result(ctx, k))).To(BeEmpty())
				}, SpecTimeout(15*time.Minute))
			}
			It("on the instants that occurred: the model replays "+k.String(), k.labels(), func(ctx SpecContext) {
				explained(result(ctx, k))
			}, SpecTimeout(15*time.Minute))
		}
	}
})

// sameNginx are pairs of runs that have to be the same request by request. Where
// milliseconds decide, each is held to the model on its own instants instead,
// which is above; the curl loop's don't at these speeds.
var _ = Describe("nginx in a container does what nginx on this machine does", kit.Nginx, kit.Docker, func() {
	var pairs []key
	for _, k := range keys() {
		if k.where == inContainer && (onTheEdge[k.title] == "" || k.speed > 0) {
			pairs = append(pairs, k)
		}
	}
	for _, k := range pairs {
		machine := k
		machine.where = onMachine
		It("request by request: "+machine.String(), func(ctx SpecContext) {
			a, b := result(ctx, machine), result(ctx, k)
			Expect(b.Image).To(Equal(kit.Image))
			Expect(a.Events).NotTo(BeEmpty())
			Expect(kit.Differences(a, b)).To(BeEmpty())
		}, SpecTimeout(15*time.Minute))
	}
	for _, s := range shipped() {
		for _, k := range engines(s) {
			if k.where != inContainer || onTheEdge[k.title] == "" || k.speed > 0 {
				continue
			}
			machine := k
			machine.where = onMachine
			It("in its verdicts and, request by request, to the model: "+machine.String(), func(ctx SpecContext) {
				a, b := result(ctx, machine), result(ctx, k)
				explained(a)
				explained(b)
				for i, v := range a.Verdicts {
					Expect(b.Verdicts[i].OK).To(Equal(v.OK), "%s: %s and %s", v.Check, v.Got, b.Verdicts[i].Got)
				}
			}, SpecTimeout(15*time.Minute))
		}
	}
})

// replays has what the model made of each run: several specs ask for it, one after
// another, and that of an hour with hundreds of time-outs takes seconds.
var replays = map[*harness.Result][]harness.Replayed{}

// explained expects that the model takes every decision of the run as recorded.
// In a crowd, hundreds of time-outs that meet each other, more of them share a
// stamp than orders can be followed, so there one decision in a thousand may
// stay open.
func explained(r *harness.Result) {
	GinkgoHelper()
	decisions := 0
	if replays[r] == nil {
		replays[r] = r.Replay()
	}
	for _, u := range replays[r] {
		decisions += u.Decisions
		open := 0
		if u.Cut > 0 || crowded[r.Scenario.Title()] {
			open = u.Decisions / 1000
		}
		if u.Different > open {
			Fail(fmt.Sprintf("upstream %s: %d of %d decisions are not explained, the first: %v", u.Upstream, u.Different, u.Decisions, u.First))
		}
		AddReportEntry(fmt.Sprintf("upstream %s: %d decisions, %d different, %d at a second's edge, %d ambiguous, %d crowds",
			u.Upstream, u.Decisions, u.Different, u.Edges, u.Ambiguous, u.Cut), ReportEntryVisibilityFailureOrVerbose)
	}
	Expect(decisions).To(BeNumerically(">", 0), "nothing was compared")
}
