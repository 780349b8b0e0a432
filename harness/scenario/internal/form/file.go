package form

import (
	"time"

	"github.com/nolive/nolive/harness/check"
)

// File is a scenario file.
type File struct {
	// Name is lower-case words with hyphens.
	Name     string `yaml:"name" jsonschema:"required,pattern=^[a-z0-9]+([-_][a-z0-9]+)*$"`
	Scenario `yaml:",inline"`
	// Variants are scenarios that differ in what they give and inherit the
	// rest: mappings merge key by key, anything else replaces, null drops.
	Variants map[string]*Scenario `yaml:"variants"`
}

// Scenario is what a file and a variant have in common.
type Scenario struct {
	// About says in a sentence or two what the scenario shows.
	About string `yaml:"about"`
	// Tags are words to select scenarios by: nolive run --tag.
	Tags []string `yaml:"tags" jsonschema:"pattern=^[a-z0-9]+([-_][a-z0-9]+)*$"`
	// Proxy is the proxy under test.
	Proxy Proxy `yaml:"proxy" jsonschema:"required"`
	// NginxVersion is the nginx whose rules hold, "1.22" or "1.22.1"; default the
	// version of the nginx that runs too, else of the one installed, else the newest
	// stable one.
	NginxVersion Word `yaml:"nginx_version" jsonschema:"pattern=^[0-9]+\\.[0-9]+(\\.[0-9]+)?$"`
	// Backends says what a backend does, by the address that the configuration
	// writes, or "*" for all of them: a list of rules, the first that matches
	// decides. One that isn't mentioned behaves well.
	Backends map[string]*Backend `yaml:"backends"`
	// Traffic says who sends what, by a name of your own.
	Traffic map[string]*Traffic `yaml:"traffic" jsonschema:"required"`
	// Expect is what must hold, one kind an entry.
	Expect []Expectation `yaml:"expect" jsonschema:"required,minItems=1"`
	// Engines that the scenario runs on; default all.
	Engines []string `yaml:"engines" jsonschema:"minItems=1,enum=sim,enum=reference,enum=nginx"`
	// MaxSpeed is the fastest that the scenario bears, scenario seconds per
	// real second.
	MaxSpeed float64 `yaml:"max_speed" jsonschema:"minimum=1,maximum=1000"`
	// Speed is the speed that the scenario asks for; default auto.
	Speed Speed `yaml:"speed"`
	// Jitter is how late a send or a wait may be, in scenario time, before a
	// run is invalid; default 1s, or less if an expectation's tolerance is tighter.
	Jitter time.Duration `yaml:"jitter"`
	// Seed is what everything random follows from; default 1.
	Seed uint64 `yaml:"seed" jsonschema:"minimum=0"`
}

// Proxy is the proxy under test.
type Proxy struct {
	// Nginx is an nginx configuration, as it is in production: the text, or
	// the name of its file.
	Nginx Nginx `yaml:"nginx" jsonschema:"required"`
}

// Nginx is a configuration's text or its file.
type Nginx struct {
	// Text is the configuration, when it was given inline.
	Text string `yaml:"-"`
	// File is the configuration's file, relative to the scenario's.
	File string `yaml:"file" jsonschema:"required"`
}

// Expectation is one entry of expect: its kind's key and a check.
type Expectation struct {
	Kind  string
	Check check.Check
}
