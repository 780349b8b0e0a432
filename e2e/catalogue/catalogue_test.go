//go:build e2e

// Package catalogue holds the engines against each other on every kind of fault.
// Without nginx it fails.
package catalogue

import (
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/nolive/nolive/e2e/kit"
	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/scenario"
	"github.com/nolive/nolive/scenarios/catalogue"
)

func TestCatalogue(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "every kind of fault on sim, reference and nginx", kit.Nginx)
}

var _ = kit.JUnit("catalogue")

// run is one run of all examples on an engine, repeated when the machine
// spoilt it.
func run(ctx SpecContext, e harness.Engine) *harness.Result {
	GinkgoHelper()
	f, problems := scenario.Parse("catalogue.yaml", []byte(catalogue.Scenario(catalogue.Entries())), nil)
	Expect(problems.Err()).NotTo(HaveOccurred())
	var r *harness.Result
	for range 5 {
		var err error
		r, err = harness.Run(ctx, f.Scenarios[0], e)
		Expect(err).NotTo(HaveOccurred())
		if r.Valid() {
			return r
		}
	}
	Fail("no valid run: " + r.Invalid)
	return nil
}

var _ = Describe("Each example goes the same way", Ordered, ContinueOnFailure, func() {
	var sim *harness.Result
	differences := map[harness.Engine]map[string][]string{}
	BeforeAll(func(ctx SpecContext) {
		sim = run(ctx, harness.Sim)
		for _, e := range []harness.Engine{harness.Reference, harness.Nginx} {
			r := run(ctx, e)
			of := map[string][]string{}
			for _, d := range harness.Compare(sim, r) {
				name := d.Request.Traffic
				if name == "" {
					name = d.Backend[:len(d.Backend)-len("-a")]
				}
				of[name] = append(of[name], d.String())
			}
			differences[e] = of
		}
	}, NodeTimeout(5*time.Minute))
	for _, entry := range catalogue.Entries() {
		for _, e := range []harness.Engine{harness.Reference, harness.Nginx} {
			It(entry.Name+" on "+string(e), func() {
				if entry.Race() == "" {
					Expect(differences[e][entry.Name]).To(BeEmpty())
				}
			})
		}
	}
})
