package fault

import (
	"fmt"
	"slices"
	"strings"
)

// Compose makes one fault of the steps of a list, done one after the other:
// [{wait: 2s}, {status: 503}]. A list of one is that one. What is wrong with a step
// is a *StepError. What acts in another layer than on requests can't
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
	var out Script
	var front []Step // what is read comes before all waits
	for i := range steps {
		f := &steps[i]
		switch {
		case f.Layer() == OnDoor:
			return Fault{}, wrongStep(i, "%s acts on the whole backend and can't be part of a list", f.name())
		case f.Layer() == OnAccept:
			return Fault{}, wrongStep(i, "what happens at accept can't be part of a list")
		case f.Layer() != OnRequest:
			return Fault{}, wrongStep(i, "%s is no part of an answer; give it a rule of its own", f.name())
		case out.final():
			return Fault{}, wrongStep(i, "nothing can follow %s", names[i-1])
		}
		names[i] = f.Script.Name
		if f.Script.awaits() && out.writes() {
			return Fault{}, wrongStep(i, "wait_for comes before the answer")
		}
		if f.Script.writes() {
			if out.writes() {
				return Fault{}, wrongStep(i, "%s would answer a second time", names[i])
			}
			out.Response, out.Endless = f.Script.Response, f.Script.Endless
		}
		read, rest := f.Script.split()
		switch {
		case front == nil && len(read) > 0:
			front = read
		case len(read) == 0:
		case !wholly(front) && !wholly(out.Steps):
			out.Steps = append(out.Steps, read...)
		}
		out.Steps = append(out.Steps, rest...)
	}
	if front == nil {
		front = []Step{{Op: ReadAll}}
	}
	out.Steps = append(slices.Clip(front), out.Steps...)
	out.Name = strings.Join(names, "+")
	return Fault{Script: out}, nil
}

// StepError is what is wrong with one step of a list.
type StepError struct {
	// Step is its number, from 1.
	Step   int
	Reason string
}

// Error is "step N: reason".
func (e *StepError) Error() string { return fmt.Sprintf("step %d: %s", e.Step, e.Reason) }

func wrongStep(i int, format string, args ...any) error {
	return &StepError{i + 1, fmt.Sprintf(format, args...)}
}

// split divides the steps behind the last one that reads.
func (s *Script) split() (read, rest []Step) {
	n := 0
	for i, st := range s.Steps {
		switch st.Op {
		case ReadHead, ReadBody, ReadAll:
			n = i + 1
		}
	}
	return s.Steps[:n], s.Steps[n:]
}

// wholly says whether the steps read the whole request.
func wholly(steps []Step) bool {
	return slices.ContainsFunc(steps, func(st Step) bool { return st.Op == ReadAll })
}

// final says whether nothing can come after the script on its connection.
func (s *Script) final() bool {
	if len(s.Steps) == 0 {
		return false
	}
	switch s.Steps[len(s.Steps)-1].Op {
	case Close, Reset, Drop, Stall, Echo:
		return true
	}
	return false
}

// awaits says whether the script has a barrier.
func (s *Script) awaits() bool {
	return slices.ContainsFunc(s.Steps, func(st Step) bool { return st.Op == Await })
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
