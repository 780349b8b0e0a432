//go:build e2e

package e2e

import (
	"os"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/scenario"
)

var _ = Describe("TLS to the backends", func() {
	run := func(ctx SpecContext, s *scenario.Scenario) *harness.Result {
		var r *harness.Result
		Eventually(func() string {
			var err error
			r, err = harness.Run(ctx, s, harness.Nginx)
			Expect(err).NotTo(HaveOccurred())
			return r.Invalid
		}).WithTimeout(5 * time.Minute).Should(BeEmpty())
		return r
	}
	It("fails on the real nginx as the scenario says", func(ctx SpecContext) {
		file, err := harness.Load("../harness/testdata/tls.yaml")
		Expect(err).NotTo(HaveOccurred())
		for _, v := range run(ctx, file.Scenarios[0]).Verdicts {
			Expect(v.OK).To(BeTrue(), "%s: got %s", v.Check, v.Got)
		}
	})
	It("knows wrong certificates from good ones when nginx verifies", func(ctx SpecContext) {
		src, err := os.ReadFile("../harness/testdata/tls.yaml")
		Expect(err).NotTo(HaveOccurred())
		text := strings.Replace(string(src), "proxy_connect_timeout 2s;",
			"proxy_connect_timeout 2s; proxy_ssl_verify on; proxy_ssl_trusted_certificate nolive-ca.pem;", 1)
		for _, name := range []string{"expired", "name", "stranger"} {
			text = strings.Replace(text, "{backend: "+name+":443, times: 0}", "{backend: "+name+":443, times: 1}", 1)
		}
		Expect(text).NotTo(ContainSubstring("stranger:443, times: 0"))
		file, problems := scenario.Parse("tls.yaml", []byte(text), nil)
		Expect(problems.Err()).NotTo(HaveOccurred())
		for _, v := range run(ctx, file.Scenarios[0]).Verdicts {
			Expect(v.OK).To(BeTrue(), "%s: got %s", v.Check, v.Got)
		}
	})
})
