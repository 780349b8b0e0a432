package fault

import (
	"fmt"
	"strconv"
)

// ConnectionsSpec is `connections: 100`, or `connections: {max, full}`: how many
// connections the backend has at the same time. It holds for good.
type ConnectionsSpec struct {
	// Max is how many there are at most, at least 1.
	Max int `yaml:"max"`
	// Full is what one more meets: "wait" (the default) in the accept queue until
	// another ends, "close" or "reset" as soon as it was accepted.
	Full string `yaml:"full" jsonschema:"enum=wait,enum=close,enum=reset"`
}

// Scalar takes the short form: the number alone.
func (s *ConnectionsSpec) Scalar(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil {
		return fmt.Errorf("connections: %q is no number from 1", text)
	}
	s.Max = n
	return nil
}

// maxConnections is more than a machine has ports for.
const maxConnections = 1 << 16

// Fault returns the limit; the error names the field that is wrong.
func (s *ConnectionsSpec) Fault() (Fault, error) {
	if s.Max < 1 || s.Max > maxConnections {
		return Fault{}, fmt.Errorf("max: %d is not in 1..%d", s.Max, maxConnections)
	}
	l := &Limit{Max: s.Max}
	switch s.Full {
	case "", "wait":
	case "close":
		l.Full = Close
	case "reset":
		l.Full = Reset
	default:
		return Fault{}, fmt.Errorf("full: %q is none of wait, close, reset", s.Full)
	}
	return Fault{Limit: l}, nil
}

// Limit says how many connections a backend has at the same time.
type Limit struct {
	Max int
	// Full is Close or Reset for a connection that there is no room for, 0 when it
	// waits to be accepted.
	Full Op
}

// Limit returns the fault that limits connections, nil for none.
func (rs Rules) Limit() *Fault {
	for i := range rs {
		if rs[i].Do.Limit != nil {
			return &rs[i].Do
		}
	}
	return nil
}
