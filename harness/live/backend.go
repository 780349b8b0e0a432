package live

import (
	"github.com/nolive/nolive/backends"
	"github.com/nolive/nolive/harness/scenario"
)

// startBackend starts the fake backend that plays a scenario's backend.
func (t *try) startBackend(b scenario.Backend) (backend, error) {
	s, err := backends.Start(backends.Options{
		Name: b.Name, Rules: b.Rules, Clock: t.clock, Sink: &t.record, Seed: t.o.Plan.Seed,
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}
