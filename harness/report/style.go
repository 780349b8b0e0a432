package report

import (
	"charm.land/lipgloss/v2"
)

// The colours are the terminal's own sixteen, so they fit every theme. A writer
// that is no terminal drops them; every picture reads without them.
var (
	title   = lipgloss.NewStyle().Bold(true)
	good    = lipgloss.NewStyle().Foreground(lipgloss.Green)
	bad     = lipgloss.NewStyle().Foreground(lipgloss.Red)
	busy    = lipgloss.NewStyle().Foreground(lipgloss.Yellow)
	warning = lipgloss.NewStyle().Foreground(lipgloss.Yellow).Bold(true)
	faint   = lipgloss.NewStyle().Faint(true)
	out     = lipgloss.NewStyle().Foreground(lipgloss.Magenta)
)
