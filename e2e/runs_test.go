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

	"github.com/nolive/nolive/e2e/kit"
	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/report"
	"github.com/nolive/nolive/harness/scenario"
	"github.com/nolive/nolive/proxy/nginx/container"
	"github.com/nolive/nolive/proxy/upstream"
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
	where  where   // of the engine nginx
}

// where is where the real nginx runs.
type where string

const (
	onMachine   where = ""
	inContainer where = "in a container"
)

func (k key) String() string {
	s := fmt.Sprintf("%s on %s", k.title, k.engine)
	if k.where != "" {
		s += " " + string(k.where)
	}
	if k.speed > 0 {
		s += fmt.Sprintf(" at speed %g", k.speed)
	}
	return s
}

// labels say what a run needs.
func (k key) labels() Labels {
	all := Labels{}
	switch {
	case k.engine == harness.Sim:
		all = append(all, kit.Sim...)
	case k.engine == harness.Reference:
		all = append(all, kit.Reference...)
	case k.where == inContainer:
		all = append(all, kit.Docker...)
	default:
		all = append(all, kit.Nginx...)
	}
	if k.engine != harness.Sim && k.length() > 30*time.Second {
		all = append(all, kit.Slow...)
	}
	return all
}

// length is about how long a run takes.
func (k key) length() time.Duration {
	l := harness.Length(scenarioOf(k.title))
	if k.speed > 0 {
		l = time.Duration(float64(l) * 30 / k.speed)
	}
	return l
}

// folder is where a run's nginx leaves its configuration and logs.
func (k key) folder() string { return kit.Folder("runs", k.String()) }

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

// pool has the container that all runs share.
var pool container.Pool

// files are the scenario files of the library.
var files = sync.OnceValue(func() []*scenario.File {
	var out []*scenario.File
	for _, name := range scenarios.Names() {
		src, _ := scenarios.Source(name)
		f, problems := scenario.Parse(name+".yaml", src, scenarios.FS)
		if err := problems.Err(); err != nil {
			panic(err)
		}
		out = append(out, f)
	}
	return out
})

// shipped are the scenarios and variants of the library.
func shipped() []*scenario.Scenario {
	var out []*scenario.Scenario
	for _, f := range files() {
		out = append(out, f.Scenarios...)
	}
	return out
}

// scenarioOf is the scenario of a title.
func scenarioOf(title string) *scenario.Scenario {
	for _, s := range shipped() {
		if s.Title() == title {
			return s
		}
	}
	return nil
}

// engines are all that a scenario runs on.
func engines(s *scenario.Scenario) []key {
	var out []key
	for _, e := range s.Engines {
		out = append(out, key{s.Title(), harness.Engine(e), 0, onMachine})
		if harness.Engine(e) == harness.Nginx {
			out = append(out, key{s.Title(), harness.Nginx, 0, inContainer})
		}
	}
	return out
}

// keys lists every run that a spec will ask for.
func keys() []key {
	var out []key
	for _, s := range shipped() {
		out = append(out, engines(s)...)
	}
	for _, speed := range curlSpeeds {
		out = append(out, key{curlLoop, harness.Nginx, speed, onMachine})
	}
	out = append(out, key{curlLoop, harness.Nginx, 10, inContainer})
	return append(out, key{curlLoop, harness.Reference, 10, onMachine})
}

// begin starts all runs in the background.
func begin() {
	ctx, stop := context.WithCancel(context.Background())
	cancel = stop
	found, _ := harness.Runner{}.FindNginx(ctx) // an error is that of every run on it
	all := keys()
	slices.SortStableFunc(all, func(a, b key) int { return cmp.Compare(b.length(), a.length()) })
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
					f.result, f.err = k.runner(found).Run(ctx, scenarioOf(k.title), k.engine)
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

// runner is how a key is run.
func (k key) runner(found upstream.Version) harness.Runner {
	r := harness.Runner{Speed: k.speed, DefaultVersion: found}
	if k.engine == harness.Nginx {
		r.NginxDir = k.folder()
	}
	if k.where == inContainer {
		r.NginxHost = pool.Image(kit.Image, container.Auto)
	}
	return r
}

// end stops what is left and waits for it, so that no process and no container
// stays behind.
func end() {
	defer func() {
		Expect(pool.Close()).To(Succeed())
		tidy()
	}()
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
	used = append(used, k)
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
