//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/nolive/nolive/e2e/kit"
	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/scenario"
)

// The two runs of the same file: as it stands, and with an nginx that verifies.
const (
	tlsPlain    = "tls on nginx"
	tlsVerified = "tls on nginx that verifies"
)

func tlsRuns() []kit.Run {
	const path = "../harness/testdata/tls.yaml"
	src, err := os.ReadFile(path)
	Expect(err).NotTo(HaveOccurred())
	verified := strings.Replace(string(src), "proxy_connect_timeout 2s;",
		"proxy_connect_timeout 2s; proxy_ssl_verify on; proxy_ssl_trusted_certificate nolive-ca.pem;", 1)
	for _, name := range []string{"expired", "name", "stranger"} {
		verified = strings.Replace(verified, "{backend: "+name+":443, times: 0}", "{backend: "+name+":443, times: 1}", 1)
	}
	Expect(verified).NotTo(ContainSubstring("stranger:443, times: 0"))
	var out []kit.Run
	for name, text := range map[string]string{tlsPlain: string(src), tlsVerified: verified} {
		file, problems := scenario.Parse(path, []byte(text), nil)
		Expect(problems.Err()).NotTo(HaveOccurred())
		out = append(out, kit.Run{Name: name, Scenario: file.Scenarios[0], File: file, Engine: harness.Nginx, Proves: func(r *harness.Result) string {
			// Half a second lies between what mustn't meet.
			if late := kit.Lag(r); !r.OK() && late > 400*time.Millisecond {
				return fmt.Sprintf("nginx began up to %v late", late)
			}
			return ""
		}})
	}
	return out
}

var _ = Describe("TLS to the backends", kit.Nginx, func() {
	for name, promise := range map[string]string{
		tlsPlain:    "fails on the real nginx as the scenario says",
		tlsVerified: "knows wrong certificates from good ones when nginx verifies",
	} {
		It(promise, func(ctx SpecContext) {
			for _, v := range runs.Result(ctx, name).Verdicts {
				Expect(v.OK).To(BeTrue(), "%s: got %s", v.Check, v.Got)
			}
		}, SpecTimeout(5*time.Minute))
	}
})
