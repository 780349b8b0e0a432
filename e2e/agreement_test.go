//go:build e2e

package e2e

import (
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/nolive/nolive/harness"
)

// onTheEdge are scenarios whose instants lie on the edges of nginx's whole
// seconds, or whose load is a crowd: a millisecond may change who is picked, so
// two runs of the same plan may differ in single requests. They agree on the
// instants that occurred.
var onTheEdge = map[string]bool{
	"slow-report": true, "slow-report/fourteen-who-wait": true, "slow-report/fixed": true,
	curlLoop:             true,
	"one-of-two-refuses": true,
	"single-server-never-marked/a-second-server": true,
}

var _ = Describe("The engines agree", func() {
	for _, s := range shipped() {
		for _, e := range s.Engines {
			engine := harness.Engine(e)
			if engine == harness.Sim {
				continue
			}
			k := key{s.Title(), engine, 0}
			if !onTheEdge[s.Title()] {
				It("on the same plan: sim and "+k.String(), func(ctx SpecContext) {
					want := result(ctx, key{s.Title(), harness.Sim, 0})
					Expect(differences(want, result(ctx, k))).To(BeEmpty())
				}, SpecTimeout(15*time.Minute))
			}
			It("on the instants that occurred: the model replays "+k.String(), func(ctx SpecContext) {
				explained(result(ctx, k))
			}, SpecTimeout(15*time.Minute))
		}
	}
})

// differences are those of two runs of one plan, a line each.
func differences(a, b *harness.Result) string {
	var lines []string
	for _, d := range harness.Compare(a, b) {
		lines = append(lines, d.String())
	}
	return strings.Join(lines, "\n")
}

// explained expects that the model takes every decision of the run as recorded.
func explained(r *harness.Result) {
	GinkgoHelper()
	decisions := 0
	for _, u := range r.Replay() {
		decisions += u.Decisions
		if u.First != nil {
			Fail(u.First.String())
		}
		Expect(u.Different).To(BeZero(), "upstream %s", u.Upstream)
	}
	Expect(decisions).To(BeNumerically(">", 0), "nothing was compared")
}
