//go:build e2e

// Package e2e holds every promise against the real nginx: each shipped scenario
// and variant on each engine, the agreement of the engines, and the figures of
// the incidents. Nothing in it is skipped: without nginx it fails.
package e2e

import (
	"os/exec"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
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
	GinkgoWriter.Printf("%s: %s", path, out)
	begin()
})

var _ = AfterSuite(end)
