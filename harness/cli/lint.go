package cli

import (
	"fmt"
	"strings"

	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/scenario"
)

// lintCommand is `nolive lint`.
type lintCommand struct {
	Files []string `arg:"" optional:"" help:"Scenario files, or names of shipped scenarios. Without any, the whole shipped library."`
}

// Run reports mistakes, and what only nginx understands or nobody looks at.
func (c *lintCommand) Run(io Streams) error {
	files, err := load(c.Files)
	if err != nil {
		return err
	}
	for _, f := range files {
		for _, line := range remarks(f) {
			fmt.Fprintln(io.Out, line)
		}
		fmt.Fprintf(io.Out, "%s: ok\n", f.Path)
	}
	return nil
}

// remarks are what is worth knowing about a valid file, once each.
func remarks(f *scenario.File) []string {
	var out []string
	seen := map[string]bool{}
	add := func(line string) {
		if !seen[line] {
			seen[line] = true
			out = append(out, line)
		}
	}
	for _, s := range f.Scenarios {
		for _, e := range s.Engines {
			if err := harness.Runnable(s, harness.Engine(e)); err != nil {
				add(fmt.Sprintf("%v (write engines: [nginx])", err))
				break
			}
		}
		var ignored []string
		for _, n := range s.Nginx.Ignored {
			ignored = append(ignored, n.Text)
		}
		if len(ignored) > 0 {
			add(fmt.Sprintf("%s: ignored by sim and reference, since it can't matter for failover: %s", f.Path, strings.Join(ignored, ", ")))
		}
	}
	return out
}
