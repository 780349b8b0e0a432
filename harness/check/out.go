package check

// Out asserts how a backend was out of rotation: stretches from a mark to the
// next attempt on it. With nothing but a backend it asserts that there was one.
type Out struct {
	// Backend is the backend; "*" asserts it of every one by itself.
	Backend string `yaml:"backend"`
	// For is the length of every stretch that ended within the run. It fails
	// when there is no such stretch, unless Times allows none.
	For Span `yaml:"for,omitempty"`
	// Times is the number of stretches, one that is open at the end included.
	Times Span `yaml:"times,omitempty"`
	// Still says whether one is open at the end of the run.
	Still Truth `yaml:"still,omitempty"`
	// During takes only stretches that began in a window.
	During Window `yaml:"during,omitempty"`
}

var _ Definition = Out{}

// Kind is "out".
func (Out) Kind() string { return "out" }

// String is the check as a scenario writes it.
func (c Out) String() string {
	return write(c.Kind()).str("backend", c.Backend).span("for", c.For).span("times", c.Times).
		value("still", c.Still.String()).str("during", c.During.String()).String()
}

// Validate implements Definition.
func (c Out) Validate() []Problem {
	var p problems
	p.need("backend", c.Backend, "app1")
	p.span("for", c.For, Seconds)
	p.span("times", c.Times, Count)
	if c.Times.Set && c.Still == Yes && !c.Times.above(0) && c.Times.Hi < 1 {
		p.add("still", "one that is open contradicts times: %s", c.Times)
	}
	p.during(c.During)
	return p
}

// Refs implements Definition.
func (c Out) Refs() Refs { return refs("", c.Backend, c.During) }
