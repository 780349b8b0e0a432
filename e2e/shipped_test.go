//go:build e2e

package e2e

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/nolive/nolive/e2e/kit"
)

var _ = Describe("Every shipped scenario holds", func() {
	for _, s := range shipped() {
		for _, k := range engines(s) {
			It(k.String(), k.labels(), func(ctx SpecContext) {
				r := result(ctx, k)
				for _, v := range r.Verdicts {
					Expect(v.OK).To(BeTrue(), "%s: want %s, got %s\n%s", v.Check, v.Want, v.Got, kit.Text(r))
				}
				Expect(r.Verdicts).NotTo(BeEmpty())
			}, SpecTimeout(15*time.Minute))
		}
	}
})
