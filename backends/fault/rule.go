package fault

import (
	"fmt"
	"time"
)

// Rule is one entry of a backend's list: the first whose When matches decides.
type Rule struct {
	When When
	Do   Fault
}

// Validate says why the rule can't be meant: a field out of its range, a
// selector that isn't known yet when the fault acts, or a script without an
// end. The error begins with the field.
func (r *Rule) Validate() error {
	if err := r.When.validate(); err != nil {
		return err
	}
	for _, selector := range r.When.selectors() {
		if err := r.Do.admits(selector); err != nil {
			return err
		}
	}
	switch r.Do.Layer() {
	case OnRequest:
		return r.Do.Script.validate()
	case OnDoor:
		if w := &r.When; w.Repeats > 0 && w.Until == 0 {
			return fmt.Errorf("until: %s that repeats needs an end", r.Do.name())
		} else if w.Repeats > 0 && (w.Until-w.From)/w.Repeats > maxOpenings {
			return fmt.Errorf("repeats: %s would come more than %d times", r.Do.name(), maxOpenings)
		}
	case OnCrowd:
		if w := &r.When; w.From != 0 || w.Until != 0 || w.Lasts != 0 {
			return fmt.Errorf("from: connections holds for good, so nothing can select it")
		}
	case OnReuse:
		if r.When.Exchange.To == 1 {
			return fmt.Errorf("exchange: the first request of a connection doesn't reuse it")
		}
	}
	return nil
}

// validate says why a script can't be played.
func (s *Script) validate() error {
	seen, size := int64(0), s.Response.Size()
	for i, st := range s.Steps {
		if st.For < 0 || st.Chunk < 0 || st.Len < 0 && st.Op != Write {
			return fmt.Errorf("%s: a step goes back in time", s.Name)
		}
		switch st.Op {
		case Close, Reset, Drop, Stall, Echo:
			if i != len(s.Steps)-1 {
				return fmt.Errorf("%s: nothing can follow the end of the connection", s.Name)
			}
			return nil
		case Write:
			if seen += st.Len; st.Len < 0 || seen > size {
				seen = size
			}
		}
	}
	if seen < size || size == 0 {
		return fmt.Errorf("%s: nothing answers the request; end with an answer, a hang, a reset or a close",
			s.Name)
	}
	return nil
}

// Rules is a backend's list of rules. In each Layer the first rule that matches
// decides, so a rule for requests in front of a freeze doesn't keep the process
// running.
type Rules []Rule

// Pick returns the fault for an exchange: the script of the first rule that
// matches and acts on requests. Without one the backend is healthy: 200 with a
// short body, at once, and the connection is kept.
func (rs Rules) Pick(x *Exchange) *Fault {
	if f := rs.PickIn(OnRequest, x); f != nil {
		return f
	}
	return &healthy
}

// PickKeep returns how long the connection is kept after the exchange; nil for
// ever.
func (rs Rules) PickKeep(x *Exchange) *Keep {
	if f := rs.PickIn(OnKeep, x); f != nil {
		return f.Keep
	}
	return nil
}

// healthy is what a backend does that no rule speaks of.
var healthy = Fault{Script: RespondSpec{}.named("")}

// PickAtAccept returns the fault that a connection meets as soon as it is accepted;
// nil for none. Only At, Connection and Draw of x are looked at.
func (rs Rules) PickAtAccept(x *Exchange) *Fault {
	return rs.PickIn(OnAccept, x)
}

// Door returns the state of the backend's door at t. Where windows overlap the
// first rule of the list decides.
func (rs Rules) Door(t time.Duration) Door {
	for i := range rs {
		if r := &rs[i]; r.Do.Door != Open && r.When.Open(t) {
			return r.Do.Door
		}
	}
	return Open
}

// DoorChanges returns the door's state at 0 and every change after it, in order.
func (rs Rules) DoorChanges() []DoorChange {
	edges := []time.Duration{0}
	for i := range rs {
		if rs[i].Do.Door != Open {
			edges = append(edges, rs[i].When.edges()...)
		}
	}
	return changes(edges, rs.Door)
}
