// Package kit is what the suites in e2e share: labels, where their files go, and
// the images that they need. It tests nothing.
package kit

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/reporters"

	"github.com/nolive/nolive/harness"
)

// The labels say what a spec needs: no more than Go, the reference proxy's
// sockets, an nginx here, a Docker engine; or that it takes long.
var (
	Sim       = ginkgo.Label("sim")
	Reference = ginkgo.Label("reference")
	Nginx     = ginkgo.Label("nginx")
	Docker    = ginkgo.Label("docker")
	Slow      = ginkgo.Label("slow")
)

// Of is the label of an engine, for nginx that of the one here.
func Of(e harness.Engine) ginkgo.Labels {
	switch e {
	case harness.Sim:
		return Sim
	case harness.Reference:
		return Reference
	}
	return Nginx
}

// Image is the one that make image builds.
const Image = "nolive/nginx:latest"

// Folder is a folder for files of the suites: below NOLIVE_ARTEFACTS, which make
// sets, else below the temporary one.
func Folder(parts ...string) string {
	base := os.Getenv("NOLIVE_ARTEFACTS")
	if base == "" {
		base = filepath.Join(os.TempDir(), "nolive-artefacts")
	}
	for _, p := range parts {
		base = filepath.Join(base, strings.NewReplacer("/", "_", " ", "_", ":", "_").Replace(p))
	}
	return base
}

// JUnit lets a suite write its results as NAME.xml. Call it once, at the top level.
// Only specs that failed have lanes and folders in it: many share a run.
func JUnit(name string) bool {
	return ginkgo.ReportAfterSuite("JUnit", func(r ginkgo.Report) {
		for i := range r.SpecReports {
			if s := &r.SpecReports[i]; !s.Failed() {
				s.ReportEntries, s.SpecEvents = nil, nil
			}
		}
		if err := reporters.GenerateJUnitReport(r, Folder("junit", name+".xml")); err != nil {
			ginkgo.Fail(fmt.Sprintf("JUnit: %v", err))
		}
	})
}
