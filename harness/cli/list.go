package cli

import (
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/nolive/nolive/scenarios"
)

// listCommand is `nolive list`.
type listCommand struct{ tagFlag }

// Run prints one line per shipped scenario: its name, what it is about, its variants
// and its tags.
func (c *listCommand) Run(io Streams) error {
	files, err := load(nil)
	if err != nil {
		return err
	}
	if files, err = c.among(files); err != nil {
		return err
	}
	width := 0
	for _, f := range files {
		width = max(width, len(f.Scenarios[0].Name))
	}
	for _, f := range files {
		base := f.Scenarios[0]
		var variants []string
		for _, s := range f.Scenarios[1:] {
			variants = append(variants, s.Variant)
		}
		line := lipgloss.NewStyle().Width(width+2).Render(base.Name) + firstSentence(base.About)
		if len(variants) > 0 {
			line += " (variants: " + strings.Join(variants, ", ") + ")"
		}
		fmt.Fprintln(io.Out, line+bracketed(tagsOf(f)))
	}
	return nil
}

// firstSentence is a text up to its first full stop.
func firstSentence(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if i := strings.Index(s, ". "); i >= 0 {
		return s[:i+1]
	}
	return s
}

// showCommand is `nolive show`.
type showCommand struct {
	Name string `arg:"" help:"Name of a shipped scenario."`
}

// Run prints the scenario's file.
func (c *showCommand) Run(io Streams) error {
	src, ok := scenarios.Source(c.Name)
	if !ok {
		return badInput{fmt.Errorf("%s: no shipped scenario has that name (%s)", c.Name, hint(c.Name))}
	}
	_, err := io.Out.Write(src)
	return err
}
