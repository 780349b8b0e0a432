package fault

import (
	"fmt"
	"strings"
)

// Compose makes one fault of the steps of a list, done one after the other:
// [{wait: 2s}, {status: 503}]. A list of one is that one. The error begins with
// the step's number, from 1. What acts in another layer than on requests can't
// be part of a longer list, only one step may answer, and nothing may
// follow a hang, reset or close.
func Compose(steps ...Fault) (Fault, error) {
	switch len(steps) {
	case 0:
		return Fault{}, fmt.Errorf("an empty list does nothing; leave the rule out or say what to do")
	case 1:
		return steps[0], nil
	}
	names := make([]string, len(steps))
	out := Script{Steps: []Step{{Op: ReadAll}}}
	for i := range steps {
		f := &steps[i]
		switch {
		case f.Layer() == OnDoor:
			return Fault{}, fmt.Errorf("step %d: %s acts on the whole backend and can't be part of a list", i+1, f.name())
		case f.Layer() == OnAccept:
			return Fault{}, fmt.Errorf("step %d: what happens at accept can't be part of a list", i+1)
		case f.Layer() != OnRequest:
			return Fault{}, fmt.Errorf("step %d: %s is no part of an answer; give it a rule of its own", i+1, f.name())
		case out.ends():
			return Fault{}, fmt.Errorf("step %d: nothing can follow %s", i+1, names[i-1])
		}
		names[i] = f.Script.Name
		if f.Script.writes() {
			if out.writes() {
				return Fault{}, fmt.Errorf("step %d: %s would answer a second time", i+1, names[i])
			}
			out.Response = f.Script.Response
		}
		for _, st := range f.Script.Steps {
			if st.Op != ReadAll && st.Op != ReadHead {
				out.Steps = append(out.Steps, st)
			}
		}
	}
	out.Name = strings.Join(names, "+")
	return Fault{Script: out}, nil
}

// ends says whether nothing can come after the script on its connection.
func (s *Script) ends() bool {
	switch s.Steps[len(s.Steps)-1].Op {
	case Close, Reset, Stall:
		return true
	}
	return false
}

// writes says whether the script sends anything.
func (s *Script) writes() bool {
	for _, st := range s.Steps {
		if st.Op == Write {
			return true
		}
	}
	return false
}
