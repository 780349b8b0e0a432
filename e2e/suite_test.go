//go:build e2e

// Package e2e holds every promise against the real nginx: each shipped scenario
// and variant on each engine, the agreement of the engines, and the figures of
// the incidents. Nothing in it is skipped: without nginx it fails.
package e2e

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/nolive/nolive/e2e/kit"
	"github.com/nolive/nolive/proxy/nginx/container"
)

func TestPromises(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "nolive on sim, reference and nginx")
}

var _ = BeforeSuite(func() {
	path, err := exec.LookPath("nginx")
	Expect(err).NotTo(HaveOccurred(), "the real nginx is the judge here: install it (Debian: apt-get install nginx faketime)")
	out, err := exec.Command(path, "-v").CombinedOutput()
	Expect(err).NotTo(HaveOccurred())
	judges := fmt.Sprintf("%s: %s", path, out)
	if kit.Containers() {
		judges += contained()
	}
	AddReportEntry(judges)
	fmt.Println(judges)
	begin()
})

// contained is the version of the nginx in the image.
func contained() string {
	DeferCleanup(pool.Close)
	found, err := pool.Image(kit.Image, container.Auto).Look(context.Background())
	Expect(err).NotTo(HaveOccurred(), "the suites need a Docker engine that runs (systemctl start docker, or dockerd) and the image of make image")
	version, _, _ := strings.Cut(found.Output, "\n")
	return fmt.Sprintf("%s: %s", kit.Image, version)
}

var _ = kit.JUnit("promises")
