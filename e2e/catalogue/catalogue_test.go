//go:build e2e

// Package catalogue holds the engines against each other on every kind of fault.
// Without nginx it fails.
package catalogue

import (
	"cmp"
	"strings"
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
	RunSpecs(t, "every kind of fault on sim, reference and nginx")
}

var _ = kit.JUnit("catalogue")

// runs are one of all examples on each engine.
var runs = kit.NewRuns("catalogue", 2)

var sockets = []harness.Engine{harness.Reference, harness.Nginx}

var sim *harness.Result

var _ = BeforeSuite(func(ctx SpecContext) {
	f, problems := scenario.Parse("catalogue.yaml", []byte(catalogue.Scenario(catalogue.Entries())), nil)
	Expect(problems.Err()).NotTo(HaveOccurred())
	s := f.Scenarios[0]
	var err error
	sim, err = harness.Run(ctx, s, harness.Sim)
	Expect(err).NotTo(HaveOccurred())
	var all []kit.Run
	for _, e := range sockets {
		all = append(all, kit.Run{Name: "catalogue on " + string(e), Scenario: s, File: f, Engine: e, Proves: func(r *harness.Result) string {
			for _, entry := range catalogue.Entries() {
				if len(differences(r)[entry.Name]) > 0 && entry.Race() == "" {
					return kit.Late(sim, r, min(cmp.Or(s.Jitter, scenario.DefaultJitter), kit.Apart(sim)/2))
				}
			}
			return ""
		}})
	}
	runs.Begin(all...)
})

// differences are those of a run and the simulator's, by example.
func differences(r *harness.Result) map[string][]string {
	of := map[string][]string{}
	for _, d := range harness.Compare(sim, r) {
		name := d.Request.Traffic
		if name == "" {
			name = strings.TrimSuffix(d.Backend, "-a")
		}
		of[name] = append(of[name], d.String())
	}
	return of
}

var _ = Describe("Each example goes the same way", func() {
	for _, entry := range catalogue.Entries() {
		for _, e := range sockets {
			It(entry.Name+" on "+string(e), kit.Of(e), func(ctx SpecContext) {
				r := runs.Result(ctx, "catalogue on "+string(e))
				if entry.Race() == "" {
					Expect(differences(r)[entry.Name]).To(BeEmpty())
				}
			}, SpecTimeout(5*time.Minute))
		}
	}
})
