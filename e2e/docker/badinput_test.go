//go:build e2e

package docker

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/nolive/nolive/e2e/kit"
)

// short is a scenario that is over at once.
const short = "http-500-not-counted"

var _ = Describe("What goes wrong is said, with the way out", func() {
	// refused runs the short scenario and wants status 3, the words, and nothing left.
	refused := func(ctx SpecContext, env []string, words string, args ...string) {
		GinkgoHelper()
		mine, dir := ofTMP()
		args = append([]string{"run", short, "--variant", "base", "--engine", "nginx"}, args...)
		got := run(ctx, append(mine, env...), args...)
		Expect(got.text).To(ContainSubstring(words))
		Expect(got.status).To(Equal(3))
		Expect(left(dir)).To(BeEmpty())
		if env == nil {
			Expect(containers(dir)).To(BeEmpty())
		}
	}

	It("engine not running", func(ctx SpecContext) {
		socket := filepath.Join(GinkgoT().TempDir(), "docker.sock")
		refused(ctx, []string{"DOCKER_HOST=unix://" + socket}, "no Docker engine answers at unix://"+socket+": no such file or directory: start it", "--nginx-image", kit.Image)
	}, SpecTimeout(time.Minute))

	for name, c := range map[string]struct {
		env   string
		words string
	}{
		"engine not running, for make":           {"DOCKER_HOST=unix:///no/such/docker.sock", "no Docker engine answers: start it (systemctl start docker, or dockerd), then try again"},
		"DOCKER_HOST pointing nowhere, for make": {"DOCKER_HOST=tcp://127.0.0.1:1", "no Docker engine answers: start it"},
		"docker not installed, for make":         {"PATH=", "there is no docker on PATH: install it (Debian: apt-get install docker.io), then try again"},
	} {
		It(name, func(ctx SpecContext) {
			if c.env == "PATH=" { // with what make needs itself
				dir := GinkgoT().TempDir()
				for _, program := range []string{"bash", "dirname"} {
					path, err := exec.LookPath(program)
					Expect(err).NotTo(HaveOccurred())
					Expect(os.Symlink(path, filepath.Join(dir, program))).To(Succeed())
				}
				c.env += dir
			}
			make := exec.CommandContext(ctx, "make", "-C", "../..", "e2e")
			make.Env = append(os.Environ(), c.env)
			out, err := make.CombinedOutput()
			Expect(err).To(HaveOccurred())
			Expect(string(out)).To(ContainSubstring(c.words))
			Expect(string(out)).NotTo(ContainSubstring("FAIL"), "no suite may begin")
		}, SpecTimeout(time.Minute))
	}

	It("DOCKER_HOST pointing nowhere", func(ctx SpecContext) {
		refused(ctx, []string{"DOCKER_HOST=tcp://127.0.0.1:1"}, "no Docker engine answers at tcp://127.0.0.1:1: nothing listens there: start it, or correct DOCKER_HOST", "--nginx-image", kit.Image)
	}, SpecTimeout(time.Minute))

	It("image not there", func(ctx SpecContext) {
		refused(ctx, nil, "image nolive-e2e/no-such-image isn't here (make image builds one) and can't be pulled: ", "--nginx-image", "nolive-e2e/no-such-image")
	}, SpecTimeout(3*time.Minute))

	It("no name of an image", func(ctx SpecContext) {
		refused(ctx, nil, "image UPPER is no name of an image", "--nginx-image", "UPPER")
	}, SpecTimeout(time.Minute))

	It("image without nginx", func(ctx SpecContext) {
		image := derived(func(path string) bool { return path == "usr/sbin/nginx" }, "")
		refused(ctx, nil, "image "+image+" has no nginx on its PATH", "--nginx-image", image)
	}, SpecTimeout(time.Minute))

	It("image without libfaketime, above speed 1", func(ctx SpecContext) {
		image := derived(func(path string) bool { return strings.Contains(path, "faketime") }, "")
		refused(ctx, nil, "speed 30 needs libfaketime: run at --speed 1 or install it (Debian: faketime): image "+image+" has none; make image NGINX_IMAGE="+image+" makes one that has",
			"--speed", "30", "--nginx-image", image)
		got := run(ctx, nil, "run", short, "--variant", "listed", "--engine", "nginx", "--speed", "1", "--nginx-image", image)
		Expect(got.status).To(BeZero(), got.text)
	}, SpecTimeout(2*time.Minute))

	It("nginx that exits at once", func(ctx SpecContext) {
		refused(ctx, nil, "nginx ended during the start: exit status 3: out of luck", "--nginx-image", derived(nil, "exits"))
	}, SpecTimeout(time.Minute))

	It("nginx that never runs, so that its container ends at once", func(ctx SpecContext) {
		refused(ctx, nil, "nginx ended during the start: exit status 4: no luck at all", "--nginx-image", derived(nil, "never runs"))
	}, SpecTimeout(time.Minute))

	It("port taken on the host, every time", func(ctx SpecContext) {
		refused(ctx, nil, "no free port for nginx: bind() to 127.0.0.1:80 failed (98: Address already in use)", "--nginx-image", derived(nil, "taken"))
	}, SpecTimeout(time.Minute))

	It("port taken on the host, once: nginx gets another one", func(ctx SpecContext) {
		got := run(ctx, nil, "run", short, "--variant", "base", "--engine", "nginx", "--nginx-image", derived(nil, "taken once"))
		Expect(got.status).To(BeZero(), got.text)
	}, SpecTimeout(time.Minute))

	It("configuration that nginx rejects: its line in the user's file", func(ctx SpecContext) {
		file := filepath.Join(GinkgoT().TempDir(), "rejected.yaml")
		Expect(os.WriteFile(file, []byte(`name: rejected
proxy:
  nginx: |
    upstream app { server app1:8080; }
    server {
      gzip_comp_level 99;
      location / { proxy_pass http://app; }
    }
traffic:
  users: {request: GET /, times: 1}
expect:
  - status: {of: users, is: 200}
`), 0o644)).To(Succeed())
		for _, network := range []string{"host", "bridge"} {
			env, dir := ofTMP()
			got := run(ctx, env, "run", file, "--engine", "nginx", "--nginx-image", kit.Image, "--nginx-network", network)
			Expect(got.text).To(ContainSubstring(file + ":6:7: nginx rejects the configuration: value must be between 1 and 9"))
			Expect(got.status).To(Equal(3))
			Expect(left(dir)).To(BeEmpty())
			Expect(containers(dir)).To(BeEmpty())
		}
	}, SpecTimeout(2*time.Minute))

	// Also for nginx on this machine: what it couldn't write is missing in both.
	for _, where := range [][]string{nil, {"--nginx-image", kit.Image}} {
		name := "disk full for logs"
		if where == nil {
			name += ", without a container"
		}
		It(name, func(ctx SpecContext) {
			dir := GinkgoT().TempDir()
			Expect(syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=192k")).To(Succeed(), "only the superuser can fill a disk of his own")
			DeferCleanup(func() { Expect(syscall.Unmount(dir, syscall.MNT_DETACH)).To(Succeed()) })
			file := filepath.Join(GinkgoT().TempDir(), "much.yaml")
			Expect(os.WriteFile(file, []byte(`name: much
proxy:
  nginx: |
    upstream app { server app1:8080; }
    server { location / { proxy_pass http://app; } }
traffic:
  users: {request: GET /, rate: 50/s, for: 20s}
expect:
  - status: {of: users, is: 200}
`), 0o644)).To(Succeed())
			got := bare(ctx, []string{"TMPDIR=" + dir}, append([]string{"run", file, "--engine", "nginx", "--speed", "5"}, where...)...)
			Expect(got.text).To(ContainSubstring("no space left on device"))
			Expect(got.text).To(MatchRegexp(`(?m)^INVALID much on nginx`))
			Expect(got.status).To(Equal(3))
		}, SpecTimeout(2*time.Minute))
	}
})
