//go:build e2e

// Package surprises runs every scenario of the page of surprises on the
// reference proxy and on the real nginx.
package surprises

import (
	"context"
	"os"
	"strings"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/scenario"
)

func TestSurprises(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "the surprises on the reference proxy and on nginx")
}

// page are the scenarios of the page.
func page() []*scenario.Scenario {
	text, err := os.ReadFile("../../scenarios/README.md")
	if err != nil {
		panic(err)
	}
	_, rest, _ := strings.Cut(string(text), "\n# Surprises\n")
	var out []*scenario.Scenario
	for _, b := range strings.Split(rest, "```yaml\n")[1:] {
		src, _, _ := strings.Cut(b, "```")
		f, problems := scenario.Parse("README.md", []byte(src), nil)
		if err := problems.Err(); err != nil {
			panic(err)
		}
		out = append(out, f.Scenarios...)
	}
	return out
}

// speed keeps requests 50 ms apart 25 ms apart in real time.
const speed = 2

// future is a run that a spec waits for; all go on together.
type future struct {
	done   chan struct{}
	result *harness.Result
	err    error
}

var runs = map[string]*future{}

var _ = BeforeSuite(func() {
	ctx, cancel := context.WithCancel(context.Background())
	DeferCleanup(cancel)
	version, err := harness.Runner{}.FindNginx(ctx)
	Expect(err).NotTo(HaveOccurred())
	slots := make(chan struct{}, 8)
	for _, s := range page() {
		for _, e := range []harness.Engine{harness.Reference, harness.Nginx} {
			f := &future{done: make(chan struct{})}
			runs[s.Name+string(e)] = f
			go func() {
				defer close(f.done)
				slots <- struct{}{}
				defer func() { <-slots }()
				// What the machine disturbed is repeated, slower.
				for try := range 3 {
					f.result, f.err = harness.Runner{Speed: max(1, speed-float64(try)), DefaultVersion: version}.Run(ctx, s, e)
					if f.err != nil || f.result.OK() {
						return
					}
				}
			}()
		}
	}
})

var _ = Describe("Surprises", func() {
	for _, s := range page() {
		for _, e := range []harness.Engine{harness.Reference, harness.Nginx} {
			It(s.Name+" on "+string(e), func(ctx SpecContext) {
				f := runs[s.Name+string(e)]
				Eventually(ctx, f.done).Should(BeClosed())
				Expect(f.err).NotTo(HaveOccurred())
				Expect(f.result.Invalid).To(BeEmpty())
				for _, v := range f.result.Verdicts {
					Expect(v.OK).To(BeTrue(), "%s: want %s, got %s", v.Check, v.Want, v.Got)
				}
			}, SpecTimeout(3*60e9))
		}
	}
})
