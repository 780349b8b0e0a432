//go:build e2e

package e2e

import (
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/scenario"
)

// used are the runs that the present spec asked for, kept those of failed specs.
var (
	used []key
	kept = map[key]bool{}
)

var _ = BeforeEach(func() { used = nil })

// A failed spec leaves what its runs had: nginx's configuration and logs, which
// are there already, the events, and what the terminal would show.
var _ = AfterEach(func() {
	if !CurrentSpecReport().Failed() {
		return
	}
	for _, k := range used {
		kept[k] = true
		r := runs[k].result
		if r == nil {
			continue
		}
		Expect(os.MkdirAll(k.folder(), 0o755)).To(Succeed())
		Expect(os.WriteFile(filepath.Join(k.folder(), "report.txt"), []byte(text(r)), 0o644)).To(Succeed())
		f, err := os.Create(filepath.Join(k.folder(), "events.jsonl"))
		Expect(err).NotTo(HaveOccurred())
		Expect(harness.WriteLog(f, r, fileOf(r.Scenario))).To(Succeed())
		Expect(f.Close()).To(Succeed())
		GinkgoWriter.Println("configuration, logs and events:", k.folder())
		AddReportEntry("configuration, logs and events", k.folder())
	}
})

// tidy removes what no failed spec needs.
func tidy() {
	for _, k := range keys() {
		if !kept[k] {
			Expect(os.RemoveAll(k.folder())).To(Succeed())
		}
	}
}

// fileOf is the file that a scenario is from.
func fileOf(s *scenario.Scenario) *scenario.File {
	for _, f := range files() {
		for _, c := range f.Scenarios {
			if c.Title() == s.Title() {
				return f
			}
		}
	}
	return nil
}
