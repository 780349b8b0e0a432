//go:build e2e

package vectors

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/nolive/nolive/e2e/kit"
	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/agree"
	"github.com/nolive/nolive/proxy/upstream"
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

// all are the vectors, as the nginx that is here has them.
var all = allOf(kit.Version())

// All of them run together, at real speed, so that what is near the edge of a
// second stays there.
var _ = BeforeSuite(func(ctx SpecContext) {
	together := map[upstream.Version][]*agree.Case{}
	for i := range all {
		as := all[i].as(GinkgoT(), kit.Version())
		together[as] = append(together[as], all[i].scenario(GinkgoT(), i, kit.Version()))
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

// engines are those that can be an nginx of a version.
func engines(of upstream.Version) []harness.Engine {
	if of != kit.Version() {
		return []harness.Engine{harness.Reference}
	}
	return []harness.Engine{harness.Reference, harness.Nginx}
}

var _ = Describe("The vectors", func() {
	for i := range all {
		v := &all[i]
		on := []harness.Engine{harness.Reference}
		if v.about(kit.Version()) {
			on = append(on, harness.Nginx)
		}
		for _, e := range on {
			It(v.name+" on "+string(e), func() {
				f := findings[e][v.name]
				runs.Leaves(v.name+" on "+string(e), f.Run, f.Case.File, f.Dir)
				Expect(v.wrong(f.Run)).To(BeEmpty())
			})
		}
	}
})
