package cli

import (
	"github.com/nolive/nolive/harness/plan"
)

// planCommand is `nolive plan`.
type planCommand struct {
	File string `arg:"" help:"A scenario file, or the name of a shipped scenario."`
	Seed seed   `placeholder:"N" help:"Replaces the scenario's seed."`

	Variant []string `help:"Only these variants; \"base\" is the scenario without one."`
}

// Run prints the plan of the scenario and of each variant.
func (c *planCommand) Run(io Streams) error {
	files, err := load([]string{c.File})
	if err != nil {
		return err
	}
	if err := knowVariants(files, c.Variant); err != nil {
		return badInput{err}
	}
	for _, s := range files[0].Scenarios {
		if !wantsVariant(c.Variant, s) {
			continue
		}
		seed := s.Seed
		if c.Seed.set {
			seed = c.Seed.value
		}
		if _, err := plan.New(s, seed).WriteTo(io.Out); err != nil {
			return err
		}
	}
	return nil
}
