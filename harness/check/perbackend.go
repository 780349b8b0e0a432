package check

import (
	"fmt"
	"slices"
	"time"

	"github.com/nolive/nolive/harness/event"
)

// perBackend keeps something for one backend, or for each when the name is "*".
type perBackend[T any] struct {
	backend string
	names   []string
	states  []*T
	last    int
}

// of returns a backend's state, nil for one that isn't looked at.
func (p *perBackend[T]) of(name string) *T {
	if p.backend != Every && p.backend != name {
		return nil
	}
	if p.last < len(p.names) && p.names[p.last] == name {
		return p.states[p.last]
	}
	p.last = slices.Index(p.names, name)
	if p.last < 0 {
		p.last = len(p.names)
		p.names, p.states = append(p.names, name), append(p.states, new(T))
	}
	return p.states[p.last]
}

// judge asks for a finding on each backend. Every one of them has to be OK; one
// that was never met is judged too.
func (p *perBackend[T]) judge(run Run, find func(name string, s *T) finding) finding {
	names := []string{p.backend}
	if p.backend == Every {
		names = slices.Clone(run.Backends)
		for _, n := range p.names {
			if !slices.Contains(names, n) {
				names = append(names, n)
			}
		}
		if len(names) == 0 {
			return finding{got: "there is no backend"}
		}
	}
	var good, bad []string
	var missed []time.Duration
	sum := finding{ok: true}
	for _, n := range names {
		f := find(n, p.of(n))
		sum.want = f.want
		if len(names) == 1 && p.backend != Every {
			return f
		}
		if f.ok {
			good = append(good, n+": "+f.got)
			continue
		}
		bad = append(bad, n+": "+f.got)
		missed = append(missed, f.missed)
		sum.ok = false
		sum.proof = append(sum.proof, share(f.proof, len(names))...)
	}
	if !slices.Contains(missed, 0) {
		sum.missed = slices.Max(append(missed, 0))
	}
	if sum.ok {
		sum.got = listed(good, "; ", 4)
	} else {
		sum.got = fmt.Sprintf("%s (%d of %d backends)", listed(bad, "; ", 4), len(bad), len(names))
	}
	return sum
}

// share leaves room for the evidence of other backends.
func share(events []event.Event, among int) []event.Event {
	return events[:min(len(events), max(maxEvidence/among, 1))]
}
