//go:build e2e

package stream

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/nolive/nolive/e2e/kit"
	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/scenario"
)

// runs go on side by side: in each of them hardly anything happens.
var runs = kit.NewRuns("stream", 12)

// engines are what every scenario runs on.
var engines = []harness.Engine{harness.Sim, harness.Reference, harness.Nginx}

// speed keeps sessions 100 ms apart 50 ms apart in real time; when nothing is later
// than apart, nothing has changed places with a session, a time-out or the edge of a
// second.
const (
	speed = 2
	apart = 45 * time.Millisecond
)

// texts are the scenarios, by promise.
var texts = map[string]string{}

// promised has a scenario of a configuration, backends and traffic run.
func promised(name, nginx, backends, traffic string) {
	texts[name] = "name: stream\nproxy:\n  nginx: |" + nginx + "\nbackends: " + backends + "\ntraffic: " + traffic +
		"\nexpect:\n  - log: {contains: nothing at all, count: 0}\n"
}

// written is a promise's scenario, a new one each time.
func written(name string) *scenario.File {
	GinkgoHelper()
	f, problems := scenario.Parse("stream.yaml", []byte(texts[name]), nil)
	Expect(problems.Err()).NotTo(HaveOccurred(), "%s", texts[name])
	var only []string
	for _, n := range f.Scenarios[0].Nginx.NginxOnly {
		only = append(only, n.Text)
	}
	Expect(only).To(BeEmpty())
	f.Scenarios[0].MaxSpeed = speed
	return f
}

func on(name string, e harness.Engine) string { return name + " on " + string(e) }

// begin starts all runs in the background.
var _ = BeforeSuite(func(ctx SpecContext) {
	found, err := harness.Runner{}.FindNginx(ctx)
	Expect(err).NotTo(HaveOccurred())
	runner := harness.Runner{DefaultVersion: found}
	var all []kit.Run
	for name := range texts {
		f := written(name)
		sim, err := runner.Run(ctx, f.Scenarios[0], harness.Sim)
		Expect(err).NotTo(HaveOccurred())
		for _, e := range engines {
			all = append(all, kit.Run{Name: on(name, e), Scenario: f.Scenarios[0], File: f, Engine: e, Runner: runner, Proves: func(r *harness.Result) string {
				if kit.Differences(sim, r) == "" {
					return ""
				}
				return kit.Late(sim, r, apart)
			}})
		}
	}
	runs.Begin(all...)
})

// everywhere waits for a promise's runs, in the order of engines.
func everywhere(ctx context.Context, name string) []*harness.Result {
	GinkgoHelper()
	var results []*harness.Result
	for _, e := range engines {
		results = append(results, runs.Result(ctx, on(name, e)))
	}
	return results
}
