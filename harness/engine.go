package harness

import (
	"fmt"
	"slices"
	"strings"
)

// Engine names what runs a scenario.
type Engine string

// The engines, from the fastest to the truest.
const (
	// Sim is the pure nginx model in virtual time.
	Sim Engine = "sim"
	// Reference is the bundled Go proxy on real sockets.
	Reference Engine = "reference"
	// Nginx is the real nginx: on this machine, or where Runner.NginxHost says.
	Nginx Engine = "nginx"
)

// Engines are all engines, in the order in which they are run and shown.
func Engines() []Engine { return []Engine{Sim, Reference, Nginx} }

// ParseEngines reads a list such as "sim,nginx".
func ParseEngines(list string) ([]Engine, error) {
	var out []Engine
	for name := range strings.SplitSeq(list, ",") {
		e := Engine(strings.TrimSpace(name))
		if !slices.Contains(Engines(), e) {
			return nil, fmt.Errorf("%q is no engine, want sim, reference or nginx", string(e))
		}
		if !slices.Contains(out, e) {
			out = append(out, e)
		}
	}
	return out, nil
}
