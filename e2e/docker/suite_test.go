//go:build e2e

// Package docker holds the promises about nginx in containers: what goes wrong
// is said, nothing is left behind, and every network and image gives the same.
package docker

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/nolive/nolive/e2e/kit"
	"github.com/nolive/nolive/proxy/nginx/container"
)

func TestDocker(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "nginx in containers", kit.Docker)
}

// runs are those that need no command, pool the containers that they share.
var (
	runs = kit.NewRuns("docker", 4)
	pool container.Pool
)

// nolive and wrapper are the command and the stand-in for nginx, built once.
var nolive, wrapper string

var _ = BeforeSuite(func() {
	docker("image", "inspect", kit.Image)
	DeferCleanup(pool.Close)
	dir, err := os.MkdirTemp("", "nolive-e2e-")
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(os.RemoveAll, dir)
	nolive, wrapper = filepath.Join(dir, "nolive"), filepath.Join(dir, "wrapper")
	build(nolive, "../..")
	build(wrapper, "./wrapper", "CGO_ENABLED=0") // the image may have another libc
})

func build(to, pkg string, env ...string) {
	cmd := exec.Command("go", "build", "-o", to, pkg)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	Expect(err).NotTo(HaveOccurred(), "%s", out)
}

var _ = kit.JUnit("docker")
