//go:build e2e

package docker

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// The Dockerfile is for nginx's own images, which a registry has. Its branch for
// Debian runs here for real, on an image made of Debian's packages. That for Alpine
// runs in Alpine's shell, busybox, with an apk that notes what it is asked and puts
// libfaketime where Alpine's package libfaketime has it (its APKBUILD installs with
// PREFIX=/usr, so in /usr/lib/faketime). That shows that the script does what it
// should there. It shows nothing of Alpine's own nginx and libfaketime, which are for
// musl: those here are Debian's.
var _ = Describe("The Dockerfile", func() {
	build := func(ctx SpecContext, from, to string) {
		GinkgoHelper()
		DeferCleanup(func() { docker("image", "rm", "-f", to) })
		out, err := exec.CommandContext(ctx, "docker", "build", "--network", "host", "--build-arg", "NGINX_IMAGE="+from, "--tag", to, "../../docker").CombinedOutput()
		Expect(err).NotTo(HaveOccurred(), "%s", out)
	}
	fast := func(image string) []string {
		return []string{"run", short, "--variant", "base", "--engine", "nginx", "--speed", "30", "--nginx-image", image}
	}
	slow := func(ctx SpecContext, image string) {
		GinkgoHelper()
		got := run(ctx, nil, fast(image)...)
		Expect(got.status).To(Equal(3), got.text)
		Expect(got.text).To(ContainSubstring("image " + image + " has none; make image NGINX_IMAGE=" + image + " makes one that has"))
	}
	// Whether the machine is quiet enough for that speed is not the question.
	isFast := func(ctx SpecContext, image string) {
		GinkgoHelper()
		Expect(run(ctx, nil, fast(image)...).text).To(MatchRegexp(`(?m)^(PASS|INVALID) .* on nginx/\S+ in ` + image + ` at speed 30`))
	}

	It("adds libfaketime to an image on Debian, so that its nginx runs fast", func(ctx SpecContext) {
		const base, built = "nolive-e2e/base:1.22", "nolive-e2e/built:1.22"
		DeferCleanup(func() { docker("image", "rm", "-f", base) })
		out, err := exec.CommandContext(ctx, "testdata/debian-base", base).CombinedOutput()
		Expect(err).NotTo(HaveOccurred(), "%s", out)
		slow(ctx, base)
		build(ctx, base, built)
		isFast(ctx, built)
	}, SpecTimeout(4*time.Minute))

	It("adds libfaketime to an image on Alpine, as far as a shell and an apk are Alpine's", func(ctx SpecContext) {
		const built = "nolive-e2e/built:alpine"
		base := remade(func(path string) string {
			switch {
			case strings.HasSuffix(path, "/faketime/libfaketime.so.1") && path != "usr/lib/faketime/libfaketime.so.1":
				return "apk/libfaketime.so.1"
			case strings.Contains(path, "faketime"):
				return ""
			}
			return path
		}, []file{
			{name: "bin", link: "usr/bin"}, {name: "usr/bin/busybox", text: busybox(ctx)}, {name: "usr/bin/sh", link: "busybox"},
			{name: "usr/bin/mkdir", link: "busybox"}, {name: "usr/bin/ln", link: "busybox"}, {name: "usr/bin/rm", link: "busybox"},
			{name: "usr/bin/apk", text: `#!/bin/sh
set -e
echo "$@" >>/apk/asked
[ "$*" = "add --no-cache libfaketime" ]
mkdir -p /usr/lib/faketime
busybox cp /apk/libfaketime.so.1 /usr/lib/faketime/
`},
		}, "ENV PATH=/usr/sbin:/usr/bin:/bin")
		slow(ctx, base)
		build(ctx, base, built)
		Expect(docker("run", "--rm", "--network", "none", built, "busybox", "cat", "/apk/asked")).To(Equal("add --no-cache libfaketime"))
		Expect(docker("run", "--rm", "--network", "none", built, "busybox", "find", "/usr/lib", "-name", "libfaketime*")).To(Equal("/usr/lib/faketime/libfaketime.so.1"))
		isFast(ctx, built)
	}, SpecTimeout(4*time.Minute))
})

// busybox is the program of that name, for any image, from its package.
func busybox(ctx SpecContext) string {
	GinkgoHelper()
	dir := GinkgoT().TempDir()
	fetch := exec.CommandContext(ctx, "sh", "-c", "apt-get download -qq -o APT::Sandbox::User=root busybox-static && dpkg-deb --fsys-tarfile busybox-static_*.deb | tar -x ./bin/busybox")
	fetch.Dir = dir
	out, err := fetch.CombinedOutput()
	Expect(err).NotTo(HaveOccurred(), "%s", out)
	program, err := os.ReadFile(filepath.Join(dir, "bin/busybox"))
	Expect(err).NotTo(HaveOccurred())
	return string(program)
}
