package check

import "time"

// InRotation asserts that a backend was to be picked, at an instant or
// throughout a window: that no stretch out of rotation, of any upstream, covers
// the instant or touches the window. With `is: false` it is the opposite: one
// stretch covers all of it.
type InRotation struct {
	// Backend is the backend; "*" asserts it of every one by itself.
	Backend string `yaml:"backend"`
	// At is the instant.
	At Instant `yaml:"at,omitempty"`
	// During is the window; without it and without At it is the whole run.
	During Window `yaml:"during,omitempty"`
	// Is is true when not said.
	Is Truth `yaml:"is,omitempty"`
}

var _ Definition = InRotation{}

// Kind is "in_rotation".
func (InRotation) Kind() string { return "in_rotation" }

// String is the check as a scenario writes it.
func (c InRotation) String() string {
	t := write(c.Kind()).str("backend", c.Backend)
	if c.At.Set {
		t.str("at", written(c.At.T))
	}
	return t.str("during", c.During.String()).value("is", c.Is.String()).String()
}

// Validate implements Definition.
func (c InRotation) Validate() []Problem {
	var p problems
	p.need("backend", c.Backend, "app1")
	if c.At.Set && !c.During.Whole() {
		p.add("at", "contradicts during: write one of them")
	}
	if c.At.T < 0 {
		p.add("at", "%s is before the run", c.At.T)
	}
	if c.Is == No && !c.At.Set && c.During.Whole() {
		p.add("is", "false for the whole run is impossible: a backend is out only after an attempt on it; write at or during")
	}
	p.during(c.During)
	return p
}

// Refs implements Definition.
func (c InRotation) Refs() Refs {
	if c.At.Set {
		return refs("", c.Backend, Window{c.At.T, c.At.T + time.Nanosecond})
	}
	return refs("", c.Backend, c.During)
}
