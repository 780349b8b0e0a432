package check

// Sequence asserts an exact, ordered list over a traffic's requests in the
// order of their numbers: what each client saw, or the backends that were
// tried, retries included: a request that went to a and then to b is two
// entries. The list has to be complete.
type Sequence struct {
	// Of is the traffic.
	Of string `yaml:"of"`
	// Status is what the clients saw, one entry a request.
	Status []Answer `yaml:"status,omitempty"`
	// Peers are the backends of the attempts.
	Peers []string `yaml:"peers,omitempty"`
	// During takes only requests sent in a window.
	During Window `yaml:"during,omitempty"`
}

var _ Definition = Sequence{}

// Kind is "sequence".
func (Sequence) Kind() string { return "sequence" }

// String is the check as a scenario writes it.
func (c Sequence) String() string {
	return write(c.Kind()).str("of", c.Of).list("status", c.statuses()).list("peers", c.Peers).str("during", c.During.String()).String()
}

func (c Sequence) statuses() []string {
	list := make([]string, len(c.Status))
	for i, a := range c.Status {
		list[i] = string(a)
	}
	return list
}

// Validate implements Definition.
func (c Sequence) Validate() []Problem {
	var p problems
	p.need("of", c.Of, "curl")
	switch {
	case len(c.Status) == 0 && len(c.Peers) == 0:
		p.add("", "lists nothing: write status: [504, 502] or peers: [app1, app2]")
	case len(c.Status) > 0 && len(c.Peers) > 0:
		p.add("peers", "contradicts status: write two checks")
	}
	for _, a := range c.Status {
		if a == "" {
			p.add("status", "has an empty entry")
		}
		p.answer("status", a)
	}
	for _, name := range c.Peers {
		if name == "" || name == Every {
			p.add("peers", "%q is no backend", name)
		}
	}
	p.during(c.During)
	return p
}

// Refs implements Definition.
func (c Sequence) Refs() Refs {
	return Refs{Traffic: c.Of, Backends: unique(c.Peers), During: c.During}
}
