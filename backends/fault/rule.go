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
	selectors := r.When.selectors()
	switch {
	case r.Do.Door != Open:
		if len(selectors) > 0 {
			return fmt.Errorf("%s: %s acts on the backend as a whole, so only from and until can select it",
				selectors[0], r.Do.Door)
		}
		return nil
	case r.Do.AtAccept != 0:
		for _, s := range selectors {
			if s != "connection" && s != "share" {
				return fmt.Errorf("%s: a cut at accept comes before any request is read, "+
					"so only from, until, connection and share can select it", s)
			}
		}
		return nil
	}
	return r.Do.Script.validate()
}

// validate says why a script can't be played.
func (s *Script) validate() error {
	seen, size := int64(0), s.Response.Size()
	for i, st := range s.Steps {
		if st.For < 0 || st.Chunk < 0 {
			return fmt.Errorf("%s: a step goes back in time", s.Name)
		}
		switch st.Op {
		case Close, Reset, Stall:
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

// Rules is a backend's list of rules. Doors, what happens at accept and what
// happens to a request are three layers: in each of them the first rule that
// matches decides, so a rule for requests in front of a freeze doesn't keep the
// process running.
type Rules []Rule

// Pick returns the fault for an exchange: the script of the first rule that
// matches and acts on requests. Without one the backend is healthy: 200 with a
// short body, at once, and the connection is kept.
func (rs Rules) Pick(x *Exchange) *Fault {
	for i := range rs {
		if r := &rs[i]; r.Do.Door == Open && r.Do.AtAccept == 0 && r.When.Matches(x, i) {
			return &r.Do
		}
	}
	return &healthy
}

// healthy is what a backend does that no rule speaks of.
var healthy = Fault{Script: Respond(RespondSpec{})}

// AtAccept returns what happens to a connection as soon as it is accepted: 0,
// Close or Reset. Only At, Connection and Draw of x are looked at.
func (rs Rules) AtAccept(x *Exchange) Op {
	if f := rs.PickAtAccept(x); f != nil {
		return f.AtAccept
	}
	return 0
}

// PickAtAccept is AtAccept with the whole fault, which may have an AcceptAfter;
// nil when nothing happens to the connection.
func (rs Rules) PickAtAccept(x *Exchange) *Fault {
	for i := range rs {
		if r := &rs[i]; r.Do.AtAccept != 0 && r.When.Matches(x, i) {
			return &r.Do
		}
	}
	return nil
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
		if w := rs[i].When; rs[i].Do.Door != Open {
			edges = append(edges, w.From)
			if w.Until > 0 {
				edges = append(edges, w.Until)
			}
		}
	}
	return changes(edges, rs.Door)
}
