package agree

import (
	"fmt"

	"github.com/nolive/nolive/harness/scenario"
	"github.com/nolive/nolive/proxy/upstream"
)

// Cases are the scenarios of a file as cases. All variants count.
func Cases(f *scenario.File, v upstream.Version) ([]*Case, error) {
	var out []*Case
	for _, s := range f.Scenarios {
		c, err := simulated(&Case{Scenario: s, File: f, Version: v})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Title(), err)
		}
		out = append(out, c)
	}
	return out, nil
}
