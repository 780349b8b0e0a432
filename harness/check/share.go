package check

import (
	"fmt"

	"github.com/nolive/nolive/harness/analysis"
)

// Share asserts which part of a traffic's responses had a status. A request
// that the run's end cut off had no response and isn't counted.
type Share struct {
	// Of is the traffic.
	Of string `yaml:"of"`
	// Status is what the client saw: 200, 5xx, closed, truncated, invalid_header,
	// client_timeout or client_refused.
	Status Answer `yaml:"status"`
	// Is is the share: "> 0%", 12%..21%.
	Is Span `yaml:"is"`
	// During takes only requests sent in a window.
	During Window `yaml:"during,omitempty"`
}

var _ Definition = Share{}

// Kind is "share".
func (Share) Kind() string { return "share" }

// String is the check as a scenario writes it.
func (c Share) String() string {
	return write(c.Kind()).str("of", c.Of).str("status", string(c.Status)).span("is", c.Is).str("during", c.During.String()).String()
}

// Validate implements Definition.
func (c Share) Validate() []Problem {
	var p problems
	p.need("of", c.Of, "branch")
	p.need("status", string(c.Status), "502")
	p.answer("status", c.Status)
	if c.Status == AnswerUnfinished {
		p.add("status", "unfinished is no response: count it with status: {of: ..., is: unfinished, count: ...}")
	}
	p.given("is", c.Is, "12%..21%")
	p.span("is", c.Is, Percent)
	p.during(c.During)
	return p
}

// Refs implements Definition.
func (c Share) Refs() Refs { return refs(c.Of, "", c.During) }

// Start implements Check.
func (c Share) Start() Judge {
	is, _ := c.Status.selector()
	return &shareJudge{scope: scope{of: c.Of, during: c.During}, c: c, is: is}
}

type shareJudge struct {
	scope
	c         Share
	is        selector
	responses int
	tally
}

func (j *shareJudge) Exchange(x *analysis.Exchange) {
	if j.take(x) && x.Outcome != 0 {
		j.responses++
		j.add(x, j.is)
	}
}

func (j *shareJudge) Verdict(Run) Verdict {
	nothing := j.nothingSent()
	if nothing == "" && j.responses == 0 {
		nothing = fmt.Sprintf("no request of %s was answered before the run's end", j.c.Of)
	}
	part := ratio(j.hits, j.responses)
	f := finding{want: j.c.Is.String(), ok: j.c.Is.Has(part), proof: j.against(j.c.Is, part)}
	f.got = fmt.Sprintf("%d of %d (%s", j.hits, j.responses, percent(part))
	if why := j.reasons(f.ok); why != "" {
		f.got += ": " + why
	}
	f.got += ")" + j.rest(f.ok)
	return verdict(j.c, nothing, f)
}
