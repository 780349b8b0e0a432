//go:build e2e

package docker

import (
	"os"
	"path/filepath"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/nolive/nolive/e2e/kit"
	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/scenario"
	"github.com/nolive/nolive/proxy/nginx/container"
)

var _ = Describe("On a bridge, where host networking can't be,", func() {
	// On these no two things happen at once, and nothing hashes the client's address.
	for _, name := range [][2]string{{short, ""}, {short, "listed"}, {"post-timeout-not-retried", ""}} {
		It("nginx does the same, request by request: "+name[0]+" "+name[1], func(ctx SpecContext) {
			s, file := shipped(name[0], name[1])
			sim, err := harness.Run(ctx, s, harness.Sim)
			Expect(err).NotTo(HaveOccurred())
			var both []kit.Run
			for _, network := range []container.Network{container.Host, container.Bridge} {
				both = append(both, kit.Run{
					Name: s.Title() + " on " + string(network), Scenario: s, File: file, Engine: harness.Nginx,
					Runner: harness.Runner{NginxHost: pool.Image(kit.Image, network)},
					Proves: func(r *harness.Result) string {
						if r.OK() {
							return ""
						}
						return kit.Late(sim, r, scenario.DefaultJitter)
					},
				})
			}
			got := runs.Do(ctx, both...)
			for _, r := range got {
				Expect(r.OK()).To(BeTrue(), kit.Text(r))
			}
			for _, a := range got[0].Addresses {
				Expect(a).To(HavePrefix("127.0.0.1:"))
			}
			for _, a := range got[1].Addresses {
				Expect(a).NotTo(HavePrefix("127.0.0.1:"), "traffic didn't cross the bridge")
			}
			Expect(got[0].Events).NotTo(BeEmpty())
			Expect(harness.Compare(got[0], got[1])).To(BeEmpty())
		}, SpecTimeout(3*time.Minute))
	}
})

var _ = Describe("nolive compare", func() {
	refuses := func() string {
		file := filepath.Join(GinkgoT().TempDir(), "refuses.yaml")
		Expect(os.WriteFile(file, []byte(`name: refuses
proxy:
  nginx: |
    upstream app { server app1:8080; server app2:8080; }
    server { location / { proxy_pass http://app; } }
backends:
  app1:8080:
    - do: refuse
traffic:
  users: {request: GET /, times: 3, pause: 2s}
expect:
  - status: {of: users, is: 200}
`), 0o644)).To(Succeed())
		return file
	}
	It("makes each image a column, and agrees with itself", func(ctx SpecContext) {
		docker("tag", kit.Image, "nolive-e2e/same:latest")
		DeferCleanup(func() { docker("image", "rm", "nolive-e2e/same:latest") })
		got := run(ctx, nil, "compare", refuses(), "--nginx-image", kit.Image+",nolive-e2e/same:latest", "--speed", "5")
		Expect(got.text).To(ContainSubstring("refuses: sim and reference agree\n"))
		Expect(got.text).To(ContainSubstring("refuses: sim and nginx (" + kit.Image + ") agree\n"))
		Expect(got.text).To(ContainSubstring("refuses: sim and nginx (nolive-e2e/same:latest) agree\n"))
		Expect(got.status).To(BeZero())
	}, SpecTimeout(time.Minute))

	It("names every request that another nginx answers differently, and fails", func(ctx SpecContext) {
		image := derived(nil, "no retry")
		got := run(ctx, nil, "compare", refuses(), "--engines", "nginx", "--nginx-image", kit.Image+","+image, "--speed", "5")
		Expect(got.text).To(ContainSubstring("refuses: nginx (" + kit.Image + ") and nginx (" + image + ") differ in 1 places\n"))
		Expect(got.text).To(ContainSubstring("users/1: app1:8080 refused, app2:8080 passed, 200, but app1:8080 refused, 502"))
		Expect(got.status).To(Equal(1))
	}, SpecTimeout(time.Minute))

	It("has a column for a binary beside those for images", func(ctx SpecContext) {
		got := run(ctx, nil, "compare", refuses(), "--engines", "nginx", "--nginx-binary", "nginx", "--nginx-image", kit.Image, "--speed", "5")
		Expect(got.text).To(Equal("refuses: nginx (nginx) and nginx (" + kit.Image + ") agree\n"))
		Expect(got.status).To(BeZero())
	}, SpecTimeout(time.Minute))
})

var _ = Describe("Without a flag the engine nginx is", func() {
	It("the image where no nginx is on PATH", func(ctx SpecContext) {
		got := run(ctx, []string{"PATH="}, "run", short, "--variant", "listed", "--engine", "nginx")
		Expect(got.text).To(MatchRegexp(`(?m)^PASS .* on nginx/\S+ in ` + kit.Image + ` at speed`))
		Expect(got.status).To(BeZero())
	}, SpecTimeout(time.Minute))
	It("the binary where there is one", func(ctx SpecContext) {
		got := run(ctx, nil, "run", short, "--variant", "listed", "--engine", "nginx")
		Expect(got.text).To(MatchRegexp(`(?m)^PASS .* on nginx/\S+ at speed`))
		Expect(got.status).To(BeZero())
	}, SpecTimeout(time.Minute))
})
