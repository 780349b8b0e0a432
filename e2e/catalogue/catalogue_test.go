//go:build e2e

// Package catalogue holds the engines against each other on every kind of fault.
// Without nginx it fails.
package catalogue

import (
	"cmp"
	"path"
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

// runs are one of all examples on each engine, and over each kind of socket.
var runs = kit.NewRuns("catalogue", 2)

var sockets = []harness.Engine{harness.Reference, harness.Nginx}

// way is a kind of socket over which backends are reached, with what the simulator
// says of it.
type way struct {
	name string
	text func([]catalogue.Entry) string
	sim  *harness.Result
}

var ways = []*way{
	{name: "TCP", text: catalogue.Scenario},
	{name: "unix sockets", text: catalogue.OverSockets},
}

func (w *way) run(e harness.Engine) string { return "catalogue over " + w.name + " on " + string(e) }

var _ = BeforeSuite(func(ctx SpecContext) {
	var all []kit.Run
	for _, w := range ways {
		f, problems := scenario.Parse("catalogue.yaml", []byte(w.text(catalogue.Entries())), nil)
		Expect(problems.Err()).NotTo(HaveOccurred())
		s := f.Scenarios[0]
		var err error
		w.sim, err = kit.Runner().Run(ctx, s, harness.Sim)
		Expect(err).NotTo(HaveOccurred())
		for _, e := range sockets {
			all = append(all, kit.Run{Name: w.run(e), Scenario: s, File: f, Engine: e, Proves: func(r *harness.Result) string {
				for _, entry := range catalogue.Entries() {
					if len(w.differences(r)[entry.Name]) > 0 && entry.Race() == "" {
						return kit.Late(w.sim, r, min(cmp.Or(s.Jitter, scenario.DefaultJitter), kit.Apart(w.sim)/2))
					}
				}
				return ""
			}})
		}
	}
	runs.Begin(all...)
})

// differences are those of a run and the simulator's, by example.
func (w *way) differences(r *harness.Result) map[string][]string {
	of := map[string][]string{}
	for _, d := range harness.Compare(w.sim, r) {
		name := d.Request.Traffic
		if name == "" {
			name = strings.TrimSuffix(path.Base(strings.TrimSuffix(d.Backend, ".sock")), "-a")
		}
		of[name] = append(of[name], d.String())
	}
	return of
}

var _ = Describe("Each example goes the same way", func() {
	for _, w := range ways {
		for _, entry := range catalogue.Entries() {
			for _, e := range sockets {
				It(entry.Name+" over "+w.name+" on "+string(e), kit.Of(e), func(ctx SpecContext) {
					r := runs.Result(ctx, w.run(e))
					if entry.Race() == "" {
						Expect(w.differences(r)[entry.Name]).To(BeEmpty())
					}
				}, SpecTimeout(5*time.Minute))
			}
		}
	}
})
