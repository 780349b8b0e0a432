package check

// Marked asserts how often a backend was marked: counted failures at or above
// max_fails, nginx's line "upstream server temporarily disabled". A failed
// probe and a straggler count again. With no times it is at least once.
type Marked struct {
	// Backend is the backend; "*" asserts it of every one by itself.
	Backend string `yaml:"backend"`
	// Times is the number of marks.
	Times Span `yaml:"times,omitempty"`
	// During takes only marks in a window.
	During Window `yaml:"during,omitempty"`
}

var _ Definition = Marked{}

// Kind is "marked".
func (Marked) Kind() string { return "marked" }

// String is the check as a scenario writes it.
func (c Marked) String() string {
	return write(c.Kind()).str("backend", c.Backend).span("times", c.Times).str("during", c.During.String()).String()
}

// Validate implements Definition.
func (c Marked) Validate() []Problem {
	var p problems
	p.need("backend", c.Backend, "app1")
	p.span("times", c.Times, Count)
	p.during(c.During)
	return p
}

// Refs implements Definition.
func (c Marked) Refs() Refs { return refs("", c.Backend, c.During) }
