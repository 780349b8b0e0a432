package check

import "github.com/nolive/nolive/harness/analysis"

// Duplicates asserts how many requests that must not be repeated were read by
// backends more than once: by two backends, or twice by the same one, which
// does the same harm. It goes by what the backends read, not by what the proxy
// says. A copy read after its exchange was over (a frozen backend that thaws)
// isn't seen.
type Duplicates struct {
	// Of is the traffic; its method must be one that may not be repeated.
	Of string `yaml:"of"`
	// Count is the number of requests.
	Count Span `yaml:"count"`
	// During takes only requests sent in a window.
	During Window `yaml:"during,omitempty"`
}

var _ Definition = Duplicates{}

// Kind is "duplicates".
func (Duplicates) Kind() string { return "duplicates" }

// String is the check as a scenario writes it.
func (c Duplicates) String() string {
	return write(c.Kind()).str("of", c.Of).span("count", c.Count).str("during", c.During.String()).String()
}

// Validate implements Definition.
func (c Duplicates) Validate() []Problem {
	var p problems
	p.need("of", c.Of, "orders")
	p.given("count", c.Count, "0")
	p.span("count", c.Count, Count)
	p.during(c.During)
	return p
}

// Refs implements Definition.
func (c Duplicates) Refs() Refs {
	r := refs(c.Of, "", c.During)
	r.NonIdempotent = true
	return r
}

// Start implements Check.
func (c Duplicates) Start() Judge {
	return &duplicatesJudge{scope: scope{of: c.Of, during: c.During}, c: c}
}

type duplicatesJudge struct {
	scope
	c Duplicates
	some
}

func (j *duplicatesJudge) Exchange(x *analysis.Exchange) {
	if j.take(x) {
		j.add(x, len(x.Got) > 1)
	}
}

func (j *duplicatesJudge) Verdict(Run) Verdict { return j.verdict(j.c, &j.scope, j.c.Count) }
