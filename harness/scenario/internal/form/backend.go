package form

// Backend is a backend's list of rules, or a mapping that has them under rules.
type Backend struct {
	// Process runs the backend as a process of its own, which a freeze really
	// stops; default false. Scenarios only.
	Process bool `yaml:"process"`
	// Backlog is how many connections the kernel completes before the backend accepts
	// them, and one more (listen(2)); default what the system allows.
	Backlog int `yaml:"backlog" jsonschema:"minimum=1,maximum=65535"`
	// Listen is the address to listen on when the name is none. For the command
	// nolive backend only.
	Listen Word `yaml:"listen"`
	// Rules are the backend's rules; default none, so that it behaves well.
	Rules Rules `yaml:"rules"`
}

// Stand is a file of the command nolive backend: backends without a proxy.
type Stand struct {
	// Backends are what to serve, by name. A name that is an address is where it
	// listens; "*" has rules for all of them.
	Backends map[string]*Backend `yaml:"backends" jsonschema:"required"`
	// Seed is what everything random follows from; default 1.
	Seed uint64 `yaml:"seed" jsonschema:"minimum=0"`
}
