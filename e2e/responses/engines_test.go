//go:build e2e

package responses

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/scenario"
)

// agreed runs a scenario on nginx, in the simulator and on the reference proxy.
// What it expects must hold on each, and the others must do as nginx did: peers,
// outcomes, statuses and marks.
func agreed(ctx context.Context, text string) {
	GinkgoHelper()
	f, problems := scenario.Parse("test.yaml", []byte(text), nil)
	Expect(problems.Err()).NotTo(HaveOccurred())
	found, err := harness.Runner{}.FindNginx(ctx)
	Expect(err).NotTo(HaveOccurred())
	run := func(e harness.Engine) *harness.Result {
		r, err := harness.Runner{Speed: 1, DefaultVersion: found}.Run(ctx, f.Scenarios[0], e)
		Expect(err).NotTo(HaveOccurred(), "on %s", e)
		Expect(r.Invalid).To(BeEmpty(), "on %s", e)
		for _, v := range r.Verdicts {
			Expect(v.OK).To(BeTrue(), "on %s: %s: got %s", e, v.Check, v.Got)
		}
		return r
	}
	judge := run(harness.Nginx)
	for _, e := range []harness.Engine{harness.Sim, harness.Reference} {
		for _, d := range harness.Compare(judge, run(e)) {
			Fail("nginx and " + string(e) + ": " + d.String())
		}
	}
}
