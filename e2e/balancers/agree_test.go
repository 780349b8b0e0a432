//go:build e2e

package balancers

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/nolive/nolive/e2e/kit"
	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/scenario"
	"github.com/nolive/nolive/proxy/upstream"
)

// runs go on side by side: a run of these is a few requests a second.
var runs = kit.NewRuns("balancers", 14)

// apart is how far two things of a scenario are at least: when none is that late,
// none has changed places with another, or with the edge of a second.
const apart = 45 * time.Millisecond

// held are the promises, each with what makes its scenario: whoever needs one makes
// it, as what nginx hashed is written into it.
var held = map[string]made{}

// made makes a file of one scenario, the same one each time.
type made func() *scenario.File

// hold makes a spec: all engines take the same decisions for the same requests.
func hold(promise string, s made) {
	held[promise] = s
	It(promise, func(ctx SpecContext) {
		sim := simulated(s, nil)
		explained(sim)
		for _, e := range []harness.Engine{harness.Reference, harness.Nginx} {
			r := runs.Result(ctx, name(promise, e))
			explained(r)
			Expect(differences(s, r)).To(BeEmpty(), "sim, %s", e)
		}
	}, SpecTimeout(5*time.Minute))
}

func name(promise string, e harness.Engine) string { return promise + " on " + string(e) }

// begin starts all runs in the background.
func begin() {
	var all []kit.Run
	for promise, s := range held {
		for _, e := range []harness.Engine{harness.Reference, harness.Nginx} {
			f := s()
			all = append(all, kit.Run{Name: name(promise, e), Scenario: f.Scenarios[0], File: f, Engine: e, Proves: func(r *harness.Result) string {
				if differences(s, r) == "" {
					return ""
				}
				return kit.Late(simulated(s, r), r, apart)
			}})
		}
	}
	runs.Begin(all...)
}

// differences are those of a run and the simulator's, a line each.
func differences(s made, r *harness.Result) string {
	if m := r.Scenario.Nginx.Upstreams[0].Method; r.Engine == harness.Nginx && (m == upstream.Random || m == upstream.RandomTwo) {
		return "" // only nginx knows its draws; the replay takes every peer that one could have given
	}
	return kit.Differences(simulated(s, r), r)
}

// simulated is the scenario on the simulator, with the addresses that a run had for
// the servers: those are what nginx hashed.
func simulated(make made, like *harness.Result) *harness.Result {
	GinkgoHelper()
	s := make().Scenarios[0]
	if u := s.Nginx.Upstreams[0]; like != nil && like.Engine == harness.Nginx && u.Method == upstream.ConsistentHash {
		for i := range u.Servers {
			u.Servers[i].Address = like.Addresses[u.Servers[i].Name]
		}
	}
	r, err := kit.Runner().Run(context.Background(), s, harness.Sim)
	Expect(err).NotTo(HaveOccurred())
	return r
}

// explained expects that the model takes every decision of the run as recorded.
func explained(r *harness.Result) {
	GinkgoHelper()
	for _, u := range r.Replay() {
		Expect(u.Decisions).To(BeNumerically(">", 96))
		Expect(u.Different).To(BeZero(), "on %s, of %d decisions: %v", r.Engine, u.Decisions, u.First)
	}
}
