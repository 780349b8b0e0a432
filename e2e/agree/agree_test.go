//go:build e2e

// Package agree holds the simulator, the reference proxy and the real nginx
// against each other on random cases, on those that were kept, and where they
// can't agree by nature, on what can be held all the same.
package agree

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/nolive/nolive/e2e/kit"
	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/agree"
)

func TestAgree(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "random cases on sim, reference and nginx", kit.Nginx, kit.Reference)
}

var _ = kit.JUnit("agree")

// seeds is how many random cases a run holds, fresh ones each time: the first of
// them is printed, and NOLIVE_FROM and NOLIVE_SEEDS repeat them.
const seeds = 1000

func number(name string, otherwise uint64) uint64 {
	if n, err := strconv.ParseUint(os.Getenv(name), 10, 64); err == nil {
		return n
	}
	return otherwise
}

// sockets are the engines that are held against the simulator.
var sockets = []harness.Engine{harness.Reference, harness.Nginx}

// runs are the exceptions', which go on side by side before the random cases, of which
// a thousand at once keep the machine busy.
var runs = kit.NewRuns("agree", 6)

// exceptions are what they run.
var exceptions []kit.Run

var _ = BeforeSuite(func() { runs.Begin(exceptions...) })

var _ = Describe("The engines", func() {
	It("agree on random cases", func(ctx SpecContext) {
		from, n := number("NOLIVE_FROM", uint64(time.Now().UnixMilli())), int(number("NOLIVE_SEEDS", seeds))
		fmt.Printf("random cases: repeat them with NOLIVE_FROM=%d NOLIVE_SEEDS=%d\n", from, n)
		cases, err := agree.DrawAll(from, n, kit.Version())
		Expect(err).NotTo(HaveOccurred())
		hold(ctx, cases)
	}, SpecTimeout(15*time.Minute))

	It("agree on every case that was kept", func(ctx SpecContext) {
		files, err := filepath.Glob("testdata/*.yaml")
		Expect(err).NotTo(HaveOccurred())
		Expect(files).NotTo(BeEmpty())
		var cases []*agree.Case
		for _, name := range files {
			f, err := harness.Load(name)
			Expect(err).NotTo(HaveOccurred())
			c, err := agree.Cases(f, kit.Version())
			Expect(err).NotTo(HaveOccurred())
			cases = append(cases, c...)
		}
		findings := hold(ctx, cases)
		for i := range findings {
			if f := &findings[i]; f.Verdict == agree.Agreed {
				verdicts(f)
			}
		}
	}, SpecTimeout(5*time.Minute))
})

// hold runs cases and expects that no difference is left.
func hold(ctx context.Context, cases []*agree.Case) []agree.Finding {
	GinkgoHelper()
	runs.Over(ctx)
	options := agree.Options{
		Engines: sockets, Together: seeds, Dir: runs.Folder("nginx"),
		Say: func(p agree.Progress) { GinkgoWriter.Println(p) },
	}
	findings, err := options.Check(ctx, cases)
	Expect(err).NotTo(HaveOccurred())
	Expect(findings).To(HaveLen(2 * len(cases)))
	var tally agree.Tally
	tally.Add(findings)
	fmt.Print(tally.String())
	for i := range findings {
		if f := &findings[i]; f.Verdict == agree.Differs {
			leave(f)
			small, err := options.Shrink(ctx, *f)
			Expect(err).NotTo(HaveOccurred())
			leave(&small)
			Fail(f.String() + "\nthe smallest case:\n" + small.Text() + small.String())
		}
	}
	// What stayed undecided was late each of eight times, also by itself. It proves
	// nothing, and here nothing is skipped.
	for i := range findings {
		if f := &findings[i]; f.Verdict == agree.Undecided {
			leave(f)
			Fail(f.String() + "\n" + f.Text())
		}
	}
	return findings
}

// leave lets the present spec, which fails, leave what a finding is about.
func leave(f *agree.Finding) {
	GinkgoHelper()
	runs.Leaves(f.Case.Title()+" on "+string(f.Engine), f.Run, f.Case.File, f.Dir)
}

// verdicts expects that the case's own expectations hold, on the simulator too.
func verdicts(f *agree.Finding) {
	GinkgoHelper()
	for _, r := range []*harness.Result{f.Case.Sim, f.Run} {
		for _, v := range harness.Judge(f.Case.Scenario, r.Events, r.End, f.Case.Expect) {
			if !v.OK {
				leave(f)
			}
			Expect(v.OK).To(BeTrue(), "%s on %s: %s: want %s, got %s", f.Case.Title(), r.Engine, v.Check, v.Want, v.Got)
		}
	}
}
