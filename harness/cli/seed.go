package cli

import (
	"fmt"
	"strconv"
)

// seed is --seed; the zero value is a seed that wasn't given.
type seed struct {
	value uint64
	set   bool
}

// UnmarshalText reads a whole number, 0 included.
func (s *seed) UnmarshalText(text []byte) error {
	v, err := strconv.ParseUint(string(text), 10, 64)
	if err != nil {
		return fmt.Errorf("want a whole number from 0 to %d, got %q", uint64(1<<64-1), text)
	}
	s.value, s.set = v, true
	return nil
}
