//go:build e2e

// Package surprises runs every scenario of the page of surprises on the
// reference proxy and on the real nginx.
package surprises

import (
	"os"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/nolive/nolive/e2e/kit"
	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/scenario"
)

func TestSurprises(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "the surprises on the reference proxy and on nginx")
}

var _ = kit.JUnit("surprises")

// page are the scenarios of the page, each in a file of its own.
func page() []*scenario.File {
	text, err := os.ReadFile("../../scenarios/README.md")
	if err != nil {
		panic(err)
	}
	_, rest, _ := strings.Cut(string(text), "\n# Surprises\n")
	var out []*scenario.File
	for _, b := range strings.Split(rest, "```yaml\n")[1:] {
		src, _, _ := strings.Cut(b, "```")
		f, problems := scenario.Parse("README.md", []byte(src), nil)
		if err := problems.Err(); err != nil {
			panic(err)
		}
		out = append(out, f)
	}
	return out
}

// speed keeps requests 50 ms apart 25 ms apart in real time; when none is later than
// apart, none has changed places with another.
const (
	speed = 2
	apart = 45 * time.Millisecond
)

// runs go on together.
var runs = kit.NewRuns("surprises", 8)

func name(s *scenario.Scenario, e harness.Engine) string { return s.Name + " on " + string(e) }

var _ = BeforeSuite(func(ctx SpecContext) {
	runner := kit.Runner()
	var all []kit.Run
	for _, f := range page() {
		s := f.Scenarios[0]
		if s.MaxSpeed == 0 || s.MaxSpeed > speed {
			s.MaxSpeed = speed
		}
		sim, err := runner.Run(ctx, s, harness.Sim)
		Expect(err).NotTo(HaveOccurred())
		for _, e := range []harness.Engine{harness.Reference, harness.Nginx} {
			all = append(all, kit.Run{Name: name(s, e), Scenario: s, File: f, Engine: e, Runner: runner, Proves: func(r *harness.Result) string {
				if r.OK() {
					return ""
				}
				return kit.Late(sim, r, apart)
			}})
		}
	}
	runs.Begin(all...)
})

var _ = Describe("Surprises", func() {
	for _, f := range page() {
		s := f.Scenarios[0]
		for _, e := range []harness.Engine{harness.Reference, harness.Nginx} {
			It(name(s, e), kit.Of(e), func(ctx SpecContext) {
				for _, v := range runs.Result(ctx, name(s, e)).Verdicts {
					Expect(v.OK).To(BeTrue(), "%s: want %s, got %s", v.Check, v.Want, v.Got)
				}
			}, SpecTimeout(3*time.Minute))
		}
	}
})
