//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/nolive/nolive/backends"
	"github.com/nolive/nolive/e2e/kit"
	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/event"
)

func TestMain(m *testing.M) {
	backends.Child()
	os.Exit(m.Run())
}

// processRuns are the file's scenario and its variant, where a backend is a process.
func processRuns() []kit.Run {
	file, err := harness.Load("../harness/testdata/stopping.yaml")
	Expect(err).NotTo(HaveOccurred())
	var out []kit.Run
	for _, s := range file.Scenarios {
		out = append(out, kit.Run{Name: s.Title() + " on nginx", Scenario: s, File: file, Engine: harness.Nginx, Proves: func(r *harness.Result) string {
			if late := kit.Lag(r); late > s.Jitter {
				return fmt.Sprintf("nginx began up to %v late, %v is tolerated", late, s.Jitter)
			}
			return ""
		}})
	}
	return out
}

var _ = Describe("A backend as a process of its own", func() {
	It("is to the real nginx what it is in the harness: frozen, thawed, and what it reads afterwards", kit.Nginx, func(ctx SpecContext) {
		var results []*harness.Result
		var read [][]string
		for _, run := range processRuns() {
			r := runs.Result(ctx, run.Name)
			for i := range r.Events {
				// Whether the other backend's last answer was read by the next request
				// is a matter of milliseconds.
				r.Events[i].Cached = r.Events[i].Cached && r.Events[i].Peer == "app1:8080"
			}
			results, read = append(results, r), append(read, readBy(r, "app1:8080"))
		}
		Expect(harness.Compare(results[0], results[1])).To(BeEmpty())
		Expect(read[1]).To(Equal(read[0]))
		Expect(read[0]).To(ContainElement(HavePrefix("after: ")))
	}, SpecTimeout(5*time.Minute))
})

// readBy is what a backend read before its freeze was over and after it, sorted.
func readBy(r *harness.Result, backend string) []string {
	var out []string
	for _, e := range r.Events {
		if e.Kind != event.BackendGot || e.Peer != backend {
			continue
		}
		when := "before: "
		if e.At >= 9*time.Second {
			when = "after: "
		} else if e.At > 2250*time.Millisecond {
			when = "during: "
		}
		out = append(out, when+e.Request.String())
	}
	slices.Sort(out)
	return out
}
