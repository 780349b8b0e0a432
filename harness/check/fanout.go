package check

import "fmt"

// FanOut asserts how many attempts each request of a traffic caused. A "no live
// upstreams" is no attempt. It holds for every single request that it looks at,
// and it fails when there is none.
type FanOut struct {
	// Of is the traffic.
	Of string `yaml:"of"`
	// Status takes only requests whose client saw this.
	Status Answer `yaml:"status,omitempty"`
	// Each is the number of attempts of each request.
	Each Span `yaml:"each,omitempty"`
	// Distinct is about the number of different backends of each request.
	Distinct Distinct `yaml:"distinct,omitempty"`
	// During takes only requests sent in a window.
	During Window `yaml:"during,omitempty"`
}

// Distinct is the number of different backends that one request was tried on.
// A scenario writes the number, or true to make `each` mean it: `each: 4,
// distinct: true` and `distinct: 4` ask the same.
type Distinct struct {
	Span
	// Each is true when `each` is that number.
	Each bool
}

// UnmarshalText reads true, false or a span.
func (d *Distinct) UnmarshalText(text []byte) error {
	var t Truth
	if t.UnmarshalText(text) == nil {
		*d = Distinct{Each: t == Yes}
		return nil
	}
	s, err := ParseSpan(string(text), Count)
	if err != nil {
		return fmt.Errorf("%w; want a number of backends, or true", err)
	}
	*d = Distinct{Span: s}
	return nil
}

var _ Definition = FanOut{}

// Kind is "fan_out".
func (FanOut) Kind() string { return "fan_out" }

// String is the check as a scenario writes it.
func (c FanOut) String() string {
	t := write(c.Kind()).str("of", c.Of).str("status", string(c.Status)).span("each", c.Each)
	if c.Distinct.Each {
		t.value("distinct", "true")
	} else {
		t.span("distinct", c.Distinct.Span)
	}
	return t.str("during", c.During.String()).String()
}

// Validate implements Definition.
func (c FanOut) Validate() []Problem {
	var p problems
	p.need("of", c.Of, "managers")
	p.answer("status", c.Status)
	switch {
	case c.Distinct.Each && !c.Each.Set:
		p.add("each", "is missing: distinct: true counts different backends, write how many, or distinct: 4")
	case !c.Each.Set && !c.Distinct.Set:
		p.add("each", "is missing: write each: 4 for attempts, or distinct: 4 for different backends")
	}
	p.span("each", c.Each, Count)
	p.span("distinct", c.Distinct.Span, Count)
	p.during(c.During)
	return p
}

// Refs implements Definition.
func (c FanOut) Refs() Refs { return refs(c.Of, "", c.During) }
