//go:build e2e

package vectors

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/nolive/nolive/e2e/kit"
	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/agree"
)

func TestOnNginx(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "the vectors on the reference proxy and on nginx", kit.Nginx, kit.Reference)
}

var _ = kit.JUnit("vectors")

// findings are what became of each vector, by engine; runs keep what failed specs had.
var (
	findings = map[harness.Engine]map[string]*agree.Finding{}
	runs     = kit.NewRuns("vectors", 1)
)

// All of them run together, at real speed, so that what is near the edge of a
// second stays there.
var _ = BeforeSuite(func(ctx SpecContext) {
	version, err := harness.Runner{}.FindNginx(ctx)
	Expect(err).NotTo(HaveOccurred())
	together := map[string][]*agree.Case{}
	for i := range all {
		together[all[i].version] = append(together[all[i].version], all[i].scenario(GinkgoT(), i, version))
	}
	for of, cases := range together {
		o := agree.Options{Engines: engines(of), Keep: true, Dir: runs.Folder("nginx"), Say: func(p agree.Progress) { GinkgoWriter.Println(p) }}
		found, err := o.Check(ctx, cases)
		Expect(err).NotTo(HaveOccurred())
		for i := range found {
			f := &found[i]
			if findings[f.Engine] == nil {
				findings[f.Engine] = map[string]*agree.Finding{}
			}
			findings[f.Engine][f.Case.Name] = f
		}
	}
})

// engines are those that can be the nginx that a row is about.
func engines(version string) []harness.Engine {
	if version != "" {
		return []harness.Engine{harness.Reference}
	}
	return []harness.Engine{harness.Reference, harness.Nginx}
}

var _ = Describe("The vectors", func() {
	for i := range all {
		v := &all[i]
		for _, e := range engines(v.version) {
			It(v.name+" on "+string(e), func() {
				f := findings[e][v.name]
				runs.Leaves(v.name+" on "+string(e), f.Run, f.Case.File, f.Dir)
				Expect(v.wrong(f.Run)).To(BeEmpty())
			})
		}
	}
})
