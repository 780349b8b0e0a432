//go:build e2e

package e2e

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/nolive/nolive/e2e/kit"
	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/scenario"
	"github.com/nolive/nolive/proxy/nginx/container"
	"github.com/nolive/nolive/scenarios"
)

// runs are all runs of the suite, started together before the first spec.
var runs = kit.NewRuns("promises", 8)

// pool has the container that all runs share.
var pool container.Pool

// key names one run of a shipped scenario.
type key struct {
	title  string
	engine harness.Engine
	speed  float64 // at most; 0 is what the scenario bears
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
	if k.where == inContainer {
		all = append(all, kit.Docker...)
	} else {
		all = append(all, kit.Of(k.engine)...)
	}
	if k.engine != harness.Sim && harness.Length(k.scenario()) > 15*time.Second {
		all = append(all, kit.Slow...)
	}
	return all
}

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

// find is the scenario of a title, and the file that it is from.
func find(title string) (*scenario.Scenario, *scenario.File) {
	for _, f := range files() {
		for _, s := range f.Scenarios {
			if s.Title() == title {
				return s, f
			}
		}
	}
	panic("no scenario " + title)
}

// scenario is the key's, at its speed at most.
func (k key) scenario() *scenario.Scenario {
	s, _ := find(k.title)
	if k.speed > 0 {
		slower := *s
		slower.MaxSpeed, slower.AskSpeed = k.speed, k.speed
		return &slower
	}
	return s
}

// engines are all that a scenario runs on.
func engines(s *scenario.Scenario) []key {
	var out []key
	for _, e := range s.Engines {
		speed := 0.0
		if s.Title() == curlLoop && harness.Engine(e) != harness.Sim {
			speed = curlSpeeds[0] // at which it also has the figures of real time
		}
		out = append(out, key{s.Title(), harness.Engine(e), speed, onMachine})
		if harness.Engine(e) == harness.Nginx && kit.Containers() {
			out = append(out, key{s.Title(), harness.Nginx, speed, inContainer})
		}
	}
	return out
}

// keys lists every run of a shipped scenario that a spec will ask for.
func keys() []key {
	var out []key
	for _, s := range shipped() {
		out = append(out, engines(s)...)
	}
	for _, speed := range append(curlSpeeds[1:], 0) {
		out = append(out, key{curlLoop, harness.Nginx, speed, onMachine})
	}
	return out
}

// begin starts all runs in the background.
func begin() {
	var all []kit.Run
	for _, k := range keys() {
		all = append(all, k.run())
	}
	all = append(all, processRuns()...)
	runs.Begin(append(all, tlsRuns()...)...)
}

// run is how a key is run.
func (k key) run() kit.Run {
	s := k.scenario()
	_, file := find(k.title)
	runner := kit.Runner()
	sim, err := runner.Run(context.Background(), s, harness.Sim)
	Expect(err).NotTo(HaveOccurred())
	r := kit.Run{
		Name: k.String(), Scenario: s, File: file, Engine: k.engine, Runner: runner,
		Busy: crowded[k.title], Proves: proves(sim, onTheEdge[k.title] == "" || k.speed > 0),
	}
	// Until its last answer, which its load alone doesn't tell.
	r.Length = max(harness.Length(s), time.Duration(float64(sim.End)/speedOf(s)))
	if k.title == curlLoop && k.speed == 0 {
		r.Proves = nil // at this speed it is held to the model alone, on its own instants
	}
	if k.where == inContainer {
		r.Runner.NginxHost = pool.Image(kit.Image, container.Auto)
	}
	return r
}

// speedOf is how fast a scenario runs where nothing disturbs it.
func speedOf(s *scenario.Scenario) float64 {
	speed := cmp.Or(s.AskSpeed, 30)
	if s.MaxSpeed > 0 {
		speed = min(speed, s.MaxSpeed)
	}
	return speed
}

// proves says of a run in which something failed that it proves nothing, if what
// happened in it was later than the scenario tolerates, or so late that requests may
// have changed places: its own lateness a run knows, the proxy's it doesn't. With
// exact that something is also each request that went otherwise than on the simulator.
func proves(sim *harness.Result, exact bool) func(*harness.Result) string {
	tolerated := cmp.Or(sim.Scenario.Jitter, scenario.DefaultJitter)
	return func(r *harness.Result) string {
		if r.OK() && (!exact || kit.Differences(sim, r) == "") {
			return ""
		}
		if crowded[r.Scenario.Title()] {
			if late := kit.Lag(r); late > tolerated {
				return fmt.Sprintf("the proxy began up to %v late, %v is tolerated", late, tolerated)
			}
			return "" // which request gets which server is another matter each time
		}
		return kit.Late(sim, r, min(tolerated, kit.Apart(sim)/2))
	}
}

// result waits for a key's run.
func result(ctx SpecContext, k key) *harness.Result {
	GinkgoHelper()
	return runs.Result(ctx, k.String())
}
