//go:build e2e

package vectors

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/agree"
)

func TestOnNginx(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "the vectors on the reference proxy and on nginx")
}

var findings = map[harness.Engine]map[string]*harness.Result{}

// All of them run together, at real speed, so that what is near the edge of a
// second stays there.
var _ = BeforeSuite(func(ctx SpecContext) {
	version, err := harness.Runner{}.FindNginx(ctx)
	Expect(err).NotTo(HaveOccurred())
	var cases []*agree.Case
	for i := range table {
		cases = append(cases, table[i].scenario(GinkgoT(), i, version))
	}
	o := agree.Options{Engines: []harness.Engine{harness.Reference, harness.Nginx}, Say: func(p agree.Progress) { GinkgoWriter.Println(p) }}
	all, err := o.Check(ctx, cases)
	Expect(err).NotTo(HaveOccurred())
	for i := range all {
		f := &all[i]
		if findings[f.Engine] == nil {
			findings[f.Engine] = map[string]*harness.Result{}
		}
		findings[f.Engine][f.Case.Name] = f.Run
	}
})

var _ = Describe("The vectors", func() {
	for i := range table {
		v := &table[i]
		for _, e := range []harness.Engine{harness.Reference, harness.Nginx} {
			It(v.name+" on "+string(e), func() {
				Expect(v.wrong(findings[e][v.name])).To(BeEmpty())
			})
		}
	}
})
