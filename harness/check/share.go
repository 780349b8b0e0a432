package check

// Share asserts which part of a traffic's responses had a status. A request
// that the run's end cut off had no response and isn't counted.
type Share struct {
	// Of is the traffic.
	Of string `yaml:"of"`
	// Status is what the client saw: 200, 5xx, closed, truncated,
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
