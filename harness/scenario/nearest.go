package scenario

import "github.com/nolive/nolive/harness/scenario/internal/bind"

// Nearest returns the candidate that word was probably meant to be, as for the
// words of a scenario file; "" when none is near.
func Nearest(word string, candidates []string) string { return bind.Nearest(word, candidates) }
