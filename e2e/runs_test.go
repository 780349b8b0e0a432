//go:build e2e

package e2e

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/report"
	"github.com/nolive/nolive/harness/scenario"
	"github.com/nolive/nolive/scenarios"
)

// atOnce is how many runs on sockets go on side by side. They mostly wait, and
// a run that others disturb too much says so and is repeated slower.
const atOnce = 6

// key names one run of the suite.
type key struct {
	title  string
	engine harness.Engine
	speed  float64 // 0 is auto
}

func (k key) String() string {
	if k.speed == 0 {
		return fmt.Sprintf("%s on %s", k.title, k.engine)
	}
	return fmt.Sprintf("%s on %s at speed %g", k.title, k.engine, k.speed)
}

// future is a run that a spec can wait for.
type future struct {
	done   chan struct{}
	result *harness.Result
	err    error
}

// runs are all runs of the suite, started together so that specs, which come
// one after another, don't wait for each other's scenario time.
var runs = map[key]*future{}

var cancel context.CancelFunc

// shipped are the scenarios and variants of the library.
func shipped() []*scenario.Scenario {
	var out []*scenario.Scenario
	for _, name := range scenarios.Names() {
		src, _ := scenarios.Source(name)
		f, problems := scenario.Parse(name+".yaml", src, scenarios.FS)
		if err := problems.Err(); err != nil {
			panic(err)
		}
		out = append(out, f.Scenarios...)
	}
	return out
}

// keys lists every run that a spec will ask for.
func keys() []key {
	var out []key
	for _, s := range shipped() {
		for _, e := range s.Engines {
			out = append(out, key{s.Title(), harness.Engine(e), 0})
		}
	}
	for _, speed := range curlSpeeds {
		out = append(out, key{curlLoop, harness.Nginx, speed})
	}
	return append(out, key{curlLoop, harness.Reference, 10})
}

// begin starts all runs in the background.
func begin() {
	ctx, stop := context.WithCancel(context.Background())
	cancel = stop
	found, _ := harness.Runner{}.FindNginx(ctx) // an error is that of every run on it
	byTitle := map[string]*scenario.Scenario{}
	for _, s := range shipped() {
		byTitle[s.Title()] = s
	}
	all := keys()
	length := func(k key) time.Duration {
		l := harness.Length(byTitle[k.title])
		if k.speed > 0 {
			l = time.Duration(float64(l) * 30 / k.speed)
		}
		return l
	}
	slices.SortStableFunc(all, func(a, b key) int { return cmp.Compare(length(b), length(a)) })
	for _, k := range all {
		runs[k] = &future{done: make(chan struct{})}
	}
	go func() {
		slots := make(chan struct{}, atOnce)
		for _, k := range all {
			f := runs[k]
			if k.engine != harness.Sim {
				slots <- struct{}{}
			}
			go func() {
				defer close(f.done)
				// A run at a given speed that the machine disturbed proves nothing, and is
				// repeated as it is.
				for range 3 {
					f.result, f.err = harness.Runner{Speed: k.speed, DefaultVersion: found}.Run(ctx, byTitle[k.title], k.engine)
					if f.err != nil || f.result.Valid() {
						break
					}
				}
				if k.engine != harness.Sim {
					<-slots
				}
			}()
		}
	}()
}

// end stops what is left and waits for it, so that no process stays behind.
func end() {
	if cancel == nil {
		return
	}
	cancel()
	var wg sync.WaitGroup
	for _, f := range runs {
		wg.Go(func() { <-f.done })
	}
	wg.Wait()
}

// result waits for a run. A run that could not happen or proves nothing fails
// the spec: here nothing is skipped.
func result(ctx SpecContext, k key) *harness.Result {
	GinkgoHelper()
	f := runs[k]
	Expect(f).NotTo(BeNil(), "no such run: %v", k)
	Eventually(ctx, f.done).Should(BeClosed(), "%v takes too long", k)
	Expect(f.err).NotTo(HaveOccurred(), "%v", k)
	AddReportEntry(k.String(), ReportEntryVisibilityFailureOrVerbose, text(f.result))
	Expect(f.result.Invalid).To(BeEmpty(), "%v proves nothing", k)
	return f.result
}

// text is the result as the terminal shows it.
func text(r *harness.Result) string {
	var b strings.Builder
	report.Text(&b, r, 120)
	return b.String()
}
