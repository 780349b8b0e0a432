package live

import (
	"net"

	"github.com/nolive/nolive/backends"
	"github.com/nolive/nolive/harness/scenario"
)

// startBackend starts the fake backend that plays a scenario's backend.
func (t *try) startBackend(b scenario.Backend) (backend, error) {
	o := backends.Options{Name: b.Name, Rules: b.Rules, Backlog: b.Backlog, Clock: t.clock, Sink: &t.record, Seed: t.o.Plan.Seed, Board: &t.board, Certificates: t.secure.sets[b.Name]}
	switch {
	case b.Unix() && t.o.Sockets != "":
		o.Listen = "unix:" + t.o.Sockets + "/"
	case b.Unix():
		o.Listen = "unix:"
	case t.o.Backends != "":
		o.Listen = net.JoinHostPort(t.o.Backends, "0")
	}
	if b.Process {
		p, err := backends.StartProcess(o)
		if err != nil {
			return nil, err
		}
		return p, nil
	}
	s, err := backends.Start(o)
	if err != nil {
		return nil, err
	}
	return s, nil
}
