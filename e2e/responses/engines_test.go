//go:build e2e

package responses

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/nolive/nolive/e2e/kit"
	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/scenario"
)

// runs go on side by side: in each of them hardly anything happens.
var runs = kit.NewRuns("responses", 12)

// sockets are the engines on which things can be late.
var sockets = []harness.Engine{harness.Nginx, harness.Reference}

// promise is one scenario that is run on every engine.
type promise struct {
	file *scenario.File
	// apart is less than what lies between any two things of it that mustn't change
	// places, such as a client that leaves and a backend that answers: a run in which
	// nothing was that late proves something, whatever came of it.
	apart time.Duration
	sim   *harness.Result
}

// promises are all of them, by name.
var promises = map[string]*promise{}

func on(name string, e harness.Engine) string { return name + " on " + string(e) }

// promised has a scenario run, at real speed.
func promised(name, text string, apart time.Duration) {
	f, problems := scenario.Parse(name+".yaml", []byte(text), nil)
	if err := problems.Err(); err != nil {
		panic(err)
	}
	f.Scenarios[0].MaxSpeed = 1
	promises[name] = &promise{file: f, apart: apart}
}

// begin starts all runs in the background.
var _ = BeforeSuite(func(ctx SpecContext) {
	found, err := harness.Runner{}.FindNginx(ctx)
	Expect(err).NotTo(HaveOccurred())
	runner := harness.Runner{DefaultVersion: found}
	var all []kit.Run
	for name, p := range promises {
		p.sim, err = runner.Run(ctx, p.file.Scenarios[0], harness.Sim)
		Expect(err).NotTo(HaveOccurred())
		for _, e := range sockets {
			all = append(all, kit.Run{Name: on(name, e), Scenario: p.file.Scenarios[0], File: p.file, Engine: e, Runner: runner, Proves: p.proves})
		}
	}
	runs.Begin(all...)
})

// proves says of a run that went otherwise than the simulator's that it proves nothing
// if it was too late.
func (p *promise) proves(r *harness.Result) string {
	if r.OK() && kit.Differences(p.sim, r) == "" {
		return ""
	}
	return kit.Late(p.sim, r, p.apart)
}

// agreed expects that what a scenario expects holds on every engine, and that the
// simulator and the reference proxy did as nginx did: peers, outcomes, statuses and
// marks.
func agreed(ctx context.Context, name string) {
	GinkgoHelper()
	p := promises[name]
	judge := runs.Result(ctx, on(name, harness.Nginx))
	for _, r := range []*harness.Result{judge, p.sim, runs.Result(ctx, on(name, harness.Reference))} {
		for _, v := range r.Verdicts {
			Expect(v.OK).To(BeTrue(), "on %s: %s: got %s", r.Engine, v.Check, v.Got)
		}
		Expect(kit.Differences(judge, r)).To(BeEmpty(), "nginx and %s", r.Engine)
	}
}
