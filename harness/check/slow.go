package check

import "time"

// Slow asserts how many requests of a traffic took longer than Over, from the
// planned send to the end of the answer. One that the run's end cut off counts
// when it had already waited longer.
type Slow struct {
	// Of is the traffic.
	Of string `yaml:"of"`
	// Over is the time that has to be exceeded.
	Over time.Duration `yaml:"over"`
	// Count is the number of slow requests.
	Count Span `yaml:"count"`
	// During takes only requests sent in a window.
	During Window `yaml:"during,omitempty"`
}

var _ Definition = Slow{}

// Kind is "slow".
func (Slow) Kind() string { return "slow" }

// String is the check as a scenario writes it.
func (c Slow) String() string {
	return write(c.Kind()).str("of", c.Of).str("over", written(c.Over)).span("count", c.Count).str("during", c.During.String()).String()
}

// Validate implements Definition.
func (c Slow) Validate() []Problem {
	var p problems
	p.need("of", c.Of, "curl")
	if c.Over == 0 {
		p.add("over", "is missing: write over: 59s")
	} else if c.Over < 0 {
		p.add("over", "%s is negative", c.Over)
	}
	p.given("count", c.Count, "4")
	p.span("count", c.Count, Count)
	p.during(c.During)
	return p
}

// Refs implements Definition.
func (c Slow) Refs() Refs { return refs(c.Of, "", c.During) }
