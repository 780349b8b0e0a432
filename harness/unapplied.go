package harness

import (
	"fmt"
	"time"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/check"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/scenario"
)

// Unapplied is a rule of a backend that decided nothing in a run.
type Unapplied struct {
	// Backend is whose it is, check.Every for one that all share.
	Backend string
	// Rule is its place in the list as written, from 1.
	Rule int
	// Fault is what it would have done.
	Fault string
}

// String is `rule 2 of backend app1:8080 never applied: hang`.
func (u Unapplied) String() string {
	whose := "backend " + u.Backend
	if u.Backend == check.Every {
		whose = `"*"`
	}
	return fmt.Sprintf("rule %d of %s never applied: %s", u.Rule, whose, u.Fault)
}

// deeds are what the backends of a run were seen to do.
type deeds struct {
	did   map[deed][]time.Duration
	doors map[string]*doorway // by backend
}

// deed is an event's word for a fault, by the backend.
type deed struct {
	backend string
	kind    event.Kind
	fault   string
}

// note takes in an event. Instants are kept apart only as far as windows may tell
// them apart: the first and the last.
func (d *deeds) note(e event.Event) {
	if e.Peer != "" {
		d.door(e.Peer).note(e)
	}
	switch e.Kind {
	case event.BackendGot, event.BackendCut:
	default:
		return
	}
	if e.Detail == "" {
		return
	}
	if d.did == nil {
		d.did = map[deed][]time.Duration{}
	}
	k := deed{e.Peer, e.Kind, e.Detail}
	if at := d.did[k]; len(at) < 2 {
		d.did[k] = append(at, e.At)
	} else {
		at[1] = e.At
	}
}

// door is a backend's.
func (d *deeds) door(backend string) *doorway {
	w := d.doors[backend]
	if w == nil {
		if w = (&doorway{}); d.doors == nil {
			d.doors = map[string]*doorway{}
		}
		d.doors[backend] = w
	}
	return w
}

// evident says whether events tell of a rule of that layer at all.
func evident(r *fault.Rule) bool {
	switch r.Do.Layer() {
	case fault.OnRequest, fault.OnDoor:
		return true
	case fault.OnAccept:
		return r.Do.AtAccept != 0
	}
	return false
}

// applied says whether a rule may have decided anything. Two rules that do the same
// are told apart by their windows alone.
func (d *deeds) applied(s *scenario.Scenario, backend string, r *fault.Rule) bool {
	kind := event.BackendGot
	switch r.Do.Layer() {
	case fault.OnDoor:
		return d.door(backend).met(r, keepsIdle(s, backend))
	case fault.OnAccept:
		kind = event.BackendCut
	}
	at := d.did[deed{backend, kind, r.Do.Name()}]
	return len(at) > 0 && at[len(at)-1] >= r.When.From && (r.When.Until == 0 || at[0] < r.When.Until)
}

// unapplied are the rules that decided nothing up to the end of a run, each once:
// one that all backends share has to have decided something on any of them.
func (d *deeds) unapplied(s *scenario.Scenario, end time.Duration) []Unapplied {
	for _, w := range d.doors {
		w.close(end)
	}
	var out []Unapplied
	shared := map[int]bool{} // by their place: whether one applied
	var every []Unapplied
	for i := range s.Backends {
		b := &s.Backends[i]
		for n := range b.Rules {
			r := &b.Rules[n]
			if !evident(r) {
				continue
			}
			ok := d.applied(s, b.Name, r)
			if n < b.Own {
				if !ok {
					out = append(out, Unapplied{b.Name, n + 1, r.Do.Name()})
				}
				continue
			}
			place := n - b.Own + 1
			if _, known := shared[place]; !known {
				every = append(every, Unapplied{check.Every, place, r.Do.Name()})
			}
			shared[place] = shared[place] || ok
		}
	}
	for _, u := range every {
		if !shared[u.Rule] {
			out = append(out, u)
		}
	}
	return out
}
