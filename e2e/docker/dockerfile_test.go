//go:build e2e

package docker

import (
	"os/exec"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// The Dockerfile is for nginx's own images, which a registry has. Its branch for
// Debian runs here for real, on an image made of Debian's packages. That for Alpine
// can't: without a registry there is neither an nginx for musl nor an apk, and a
// stand-in for both would show nothing but itself.
var _ = Describe("The Dockerfile", func() {
	const base, built = "nolive-e2e/base:1.22", "nolive-e2e/built:1.22"
	build := func(ctx SpecContext, from, to string) ([]byte, error) {
		return exec.CommandContext(ctx, "docker", "build", "--network", "host", "--build-arg", "NGINX_IMAGE="+from, "--tag", to, "../../docker").CombinedOutput()
	}
	It("adds libfaketime to an image on Debian, so that its nginx runs fast", func(ctx SpecContext) {
		DeferCleanup(func() { docker("image", "rm", "-f", built, base) })
		out, err := exec.CommandContext(ctx, "testdata/debian-base", base).CombinedOutput()
		Expect(err).NotTo(HaveOccurred(), "%s", out)
		args := []string{"run", short, "--variant", "base", "--engine", "nginx", "--speed", "30", "--nginx-image"}
		got := run(ctx, nil, append(args, base)...)
		Expect(got.status).To(Equal(3), got.text)
		Expect(got.text).To(ContainSubstring("image " + base + " has none; make image NGINX_IMAGE=" + base + " makes one that has"))

		out, err = build(ctx, base, built)
		Expect(err).NotTo(HaveOccurred(), "%s", out)
		got = run(ctx, nil, append(args, built)...)
		// Whether the machine is quiet enough for that speed is not the question.
		Expect(got.text).To(MatchRegexp(`(?m)^(PASS|INVALID) .* on nginx/\S+ in ` + built + ` at speed 30`))
	}, SpecTimeout(4*time.Minute))
})
