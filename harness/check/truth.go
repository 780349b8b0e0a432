package check

import "fmt"

// Truth is a yes or no that may be left out.
type Truth uint8

// The truths; the zero value is "not said".
const (
	Unsaid Truth = iota
	Yes
	No
)

// UnmarshalText reads true or false.
func (t *Truth) UnmarshalText(text []byte) error {
	switch string(text) {
	case "true":
		*t = Yes
	case "false":
		*t = No
	default:
		return fmt.Errorf("%q is neither true nor false", text)
	}
	return nil
}

// String is how a scenario writes it.
func (t Truth) String() string { return [...]string{"", "true", "false"}[t] }
