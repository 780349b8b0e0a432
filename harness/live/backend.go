package live

import (
	"net"

	"github.com/nolive/nolive/backends"
	"github.com/nolive/nolive/harness/scenario"
)

// startBackend starts the fake backend that plays a scenario's backend.
func (t *try) startBackend(b scenario.Backend) (backend, error) {
	listen := ""
	if t.o.Backends != "" {
		listen = net.JoinHostPort(t.o.Backends, "0")
	}
	s, err := backends.Start(backends.Options{
		Name: b.Name, Rules: b.Rules, Clock: t.clock, Sink: &t.record, Seed: t.o.Plan.Seed, Listen: listen,
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}
