package check

import (
	"github.com/nolive/nolive/harness/analysis"
	"github.com/nolive/nolive/harness/event"
)

// Truncated asserts how many responses broke off: the client got the header and
// then fewer bytes than announced, whatever the status was.
type Truncated struct {
	// Of is the traffic.
	Of string `yaml:"of"`
	// Count is the number of responses.
	Count Span `yaml:"count"`
	// During takes only requests sent in a window.
	During Window `yaml:"during,omitempty"`
}

var _ Definition = Truncated{}

// Kind is "truncated".
func (Truncated) Kind() string { return "truncated" }

// String is the check as a scenario writes it.
func (c Truncated) String() string {
	return write(c.Kind()).str("of", c.Of).span("count", c.Count).str("during", c.During.String()).String()
}

// Validate implements Definition.
func (c Truncated) Validate() []Problem {
	var p problems
	p.need("of", c.Of, "downloads")
	p.given("count", c.Count, "0")
	p.span("count", c.Count, Count)
	p.during(c.During)
	return p
}

// Refs implements Definition.
func (c Truncated) Refs() Refs { return refs(c.Of, "", c.During) }

// Start implements Check.
func (c Truncated) Start() Judge {
	return &truncatedJudge{scope: scope{of: c.Of, during: c.During}, c: c}
}

type truncatedJudge struct {
	scope
	c Truncated
	some
}

func (j *truncatedJudge) Exchange(x *analysis.Exchange) {
	if j.take(x) {
		j.add(x, x.Outcome == event.Truncated)
	}
}

func (j *truncatedJudge) Verdict(Run) Verdict { return j.verdict(j.c, &j.scope, j.c.Count) }
