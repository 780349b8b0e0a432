package plan

import (
	"time"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/scenario"
)

// Plan is what will happen, as far as it can be known before the answers are.
type Plan struct {
	Scenario *scenario.Scenario
	Seed     uint64
	// Traffic is in the scenario's order.
	Traffic []Traffic
	// Doors are the backends whose door ever changes or isn't open from the start.
	Doors []Door
}

// Door is a backend and the instants at which its door changes, the first at 0.
type Door struct {
	Backend string
	Changes []fault.DoorChange
}

// New draws the plan of a scenario from a seed.
func New(s *scenario.Scenario, seed uint64) *Plan {
	p := &Plan{Scenario: s, Seed: seed}
	for i := range s.Traffic {
		p.Traffic = append(p.Traffic, Traffic{Spec: &s.Traffic[i], seed: seed})
	}
	for _, b := range s.Backends {
		if c := b.Rules.DoorChanges(); len(c) > 1 || c[0].Door != fault.Open {
			p.Doors = append(p.Doors, Door{Backend: b.Name, Changes: c})
		}
	}
	return p
}

// Traffic is one source of requests with its draws.
type Traffic struct {
	Spec *scenario.Traffic
	seed uint64
}

// Open says whether the instants are known beforehand (at, rate); otherwise
// users wait for answers.
func (t *Traffic) Open() bool { return len(t.Spec.Load.At) > 0 || t.Spec.Load.Rate > 0 }

// Count is the number of requests that the plan knows of: all of an open loop,
// users × times of a closed one, 0 where time alone bounds it.
func (t *Traffic) Count() int {
	if !t.Open() {
		return t.Users() * t.Spec.Load.Times
	}
	n := 0
	for range t.Arrivals() {
		n++
	}
	return n
}

// End is the latest instant at which a request may still be sent, as far as
// time bounds it; 0 when only a count does.
func (t *Traffic) End() time.Duration {
	l := t.Spec.Load
	switch {
	case len(l.At) > 0:
		end := l.At[0]
		for _, at := range l.At {
			end = max(end, at)
		}
		return end
	case l.For > 0:
		return l.Start.Hi + l.For
	}
	return 0
}

// End is the latest instant at which any request may still be sent; 0 when of some
// traffic only a count tells.
func (p *Plan) End() time.Duration {
	end := time.Duration(0)
	for i := range p.Traffic {
		t := &p.Traffic[i]
		if !t.Open() && t.Spec.Load.For == 0 {
			return 0
		}
		end = max(end, t.End())
	}
	return end
}
