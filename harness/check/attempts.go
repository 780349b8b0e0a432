package check

import (
	"fmt"

	"github.com/nolive/nolive/harness/event"
)

// Attempts asserts how many attempts were made: for a traffic, on a backend, or
// for a traffic on a backend.
type Attempts struct {
	// Of is the traffic; without it all traffic counts.
	Of string `yaml:"of,omitempty"`
	// Backend is the backend; "*" asserts it of every one by itself.
	Backend string `yaml:"backend,omitempty"`
	// Outcome takes only attempts that ended so: refused, read_timeout, passed ...
	Outcome Ended `yaml:"outcome,omitempty"`
	// Count is the number of attempts.
	Count Span `yaml:"count,omitempty"`
	// Is is the share of these attempts among those of the traffic (or of all).
	Is Span `yaml:"is,omitempty"`
	// During takes only attempts started in a window.
	During Window `yaml:"during,omitempty"`
}

// Ended is the outcome of an attempt by its name in events.jsonl, "" for any.
type Ended string

// UnmarshalText refuses what no attempt can end with.
func (e *Ended) UnmarshalText(text []byte) error {
	o, err := event.ParseOutcome(string(text))
	if err != nil {
		return err
	}
	if o >= event.ClientTimeout {
		return fmt.Errorf("no attempt ends as %q, that is what a client sees", o)
	}
	*e = Ended(text)
	return nil
}

var _ Definition = Attempts{}

// Kind is "attempts".
func (Attempts) Kind() string { return "attempts" }

// String is the check as a scenario writes it.
func (c Attempts) String() string {
	return write(c.Kind()).str("of", c.Of).str("backend", c.Backend).str("outcome", string(c.Outcome)).
		span("count", c.Count).span("is", c.Is).str("during", c.During.String()).String()
}

// Validate implements Definition.
func (c Attempts) Validate() []Problem {
	var p problems
	if c.Of == "" && c.Backend == "" {
		p.add("", "says neither whose attempts nor on what: write of: curl, backend: app1, or both")
	}
	if err := new(Ended).UnmarshalText([]byte(c.Outcome)); err != nil {
		p.add("outcome", "%v", err)
	}
	switch {
	case !c.Count.Set && !c.Is.Set:
		p.add("count", "is missing: write count: 3, or is: 30%%..36%% for a share")
	case c.Is.Set && c.Backend == "" && c.Outcome == "":
		p.add("is", "is the share of what? write a backend or an outcome too")
	}
	p.span("count", c.Count, Count)
	p.span("is", c.Is, Percent)
	p.during(c.During)
	return p
}

// Refs implements Definition.
func (c Attempts) Refs() Refs { return refs(c.Of, c.Backend, c.During) }
