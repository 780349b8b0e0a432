package check

import (
	"fmt"

	"github.com/nolive/nolive/harness/analysis"
)

// Status asserts how many responses to a traffic's clients had a status. With
// no count every one of them must have it.
type Status struct {
	// Of is the traffic.
	Of string `yaml:"of"`
	// Is is the status: 200, 5xx, closed, truncated, invalid_header, client_timeout,
	// client_refused or unfinished.
	Is Answer `yaml:"is"`
	// Count is the number of responses with it.
	Count Span `yaml:"count,omitempty"`
	// During takes only requests sent in a window.
	During Window `yaml:"during,omitempty"`
}

var _ Definition = Status{}

// Kind is "status".
func (Status) Kind() string { return "status" }

// String is the check as a scenario writes it.
func (c Status) String() string {
	return write(c.Kind()).str("of", c.Of).str("is", string(c.Is)).span("count", c.Count).str("during", c.During.String()).String()
}

// Validate implements Definition.
func (c Status) Validate() []Problem {
	var p problems
	p.need("of", c.Of, "curl")
	p.need("is", string(c.Is), "200")
	p.answer("is", c.Is)
	p.counted(c.Count, Share{Of: c.Of, Status: c.Is, Is: c.Count}.String())
	p.during(c.During)
	return p
}

// Refs implements Definition.
func (c Status) Refs() Refs { return refs(c.Of, "", c.During) }

// Start implements Check.
func (c Status) Start() Judge {
	is, _ := c.Is.selector()
	return &statusJudge{scope: scope{of: c.Of, during: c.During}, c: c, is: is}
}

type statusJudge struct {
	scope
	c  Status
	is selector
	tally
}

func (j *statusJudge) Exchange(x *analysis.Exchange) {
	if j.take(x) {
		j.add(x, j.is)
	}
}

func (j *statusJudge) Verdict(Run) Verdict {
	f := finding{want: "all", ok: j.hits == j.in, proof: j.sides.others}
	if j.c.Count.Set {
		f.want, f.ok, f.proof = j.c.Count.String(), j.c.Count.Has(float64(j.hits)), j.against(j.c.Count, float64(j.hits))
	}
	f.got = fmt.Sprintf("%d of %d", j.hits, j.in)
	if why := j.reasons(f.ok); why != "" {
		f.got += " (" + why + ")"
	}
	f.got += j.rest(f.ok)
	return verdict(j.c, j.nothingSent(), f)
}
