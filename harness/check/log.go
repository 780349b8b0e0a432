package check

// Log asserts how many lines of the proxy's error log contain a text. With no
// count it is at least one.
type Log struct {
	// Contains is the text, with upper and lower case as written.
	Contains string `yaml:"contains"`
	// Count is the number of lines.
	Count Span `yaml:"count,omitempty"`
	// During takes only lines logged in a window.
	During Window `yaml:"during,omitempty"`
}

var _ Definition = Log{}

// Kind is "log".
func (Log) Kind() string { return "log" }

// String is the check as a scenario writes it.
func (c Log) String() string {
	return write(c.Kind()).str("contains", c.Contains).span("count", c.Count).str("during", c.During.String()).String()
}

// Validate implements Definition.
func (c Log) Validate() []Problem {
	var p problems
	p.need("contains", c.Contains, "no live upstreams")
	p.span("count", c.Count, Count)
	p.during(c.During)
	return p
}

// Refs implements Definition.
func (c Log) Refs() Refs { return refs("", "", c.During) }
