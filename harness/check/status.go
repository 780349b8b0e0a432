package check

// Status asserts how many responses to a traffic's clients had a status. With
// no count every one of them must have it.
type Status struct {
	// Of is the traffic.
	Of string `yaml:"of"`
	// Is is the status: 200, 5xx, closed, truncated, client_timeout,
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
	p.span("count", c.Count, Count)
	p.during(c.During)
	return p
}

// Refs implements Definition.
func (c Status) Refs() Refs { return refs(c.Of, "", c.During) }
