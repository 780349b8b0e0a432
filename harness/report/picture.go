package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"github.com/nolive/nolive/harness/analysis"
)

// glyph is how one cell looks, gravest first.
var glyphs = []struct {
	bit   analysis.Cell
	sign  string
	style lipgloss.Style
	means string
}{
	{analysis.Failed, "X", bad, "failed or timed out"},
	{analysis.Busy, "▒", busy, "being processed"},
	{analysis.Out, "─", absent, "out of rotation"},
	{analysis.Answered, "•", good, "answered"},
}

// WriteLanes draws one lane per backend, at most width columns wide in all, with
// a time axis and a legend.
func WriteLanes(w io.Writer, l *analysis.Lanes, width int) {
	label := 0
	for _, n := range l.Backends() {
		label = max(label, lipgloss.Width(n))
	}
	lanes, cell := l.Fit(max(width-label-4, 20))
	seen := analysis.Cell(0)
	for _, lane := range lanes {
		fmt.Fprintf(w, "  %s  %s\n", lipgloss.NewStyle().Width(label).Render(lane.Name), draw(lane.Cells))
		for _, c := range lane.Cells {
			seen |= c
		}
	}
	if len(lanes) > 0 {
		fmt.Fprintf(w, "  %s  %s\n", strings.Repeat(" ", label), faint.Render(axis(len(lanes[0].Cells), cell)))
	}
	fmt.Fprintf(w, "  %s  %s\n", strings.Repeat(" ", label), legend(seen, cell))
}

// draw renders cells, one style run at a time.
func draw(cells []analysis.Cell) string {
	var b strings.Builder
	for i := 0; i < len(cells); {
		g := look(cells[i])
		n := i
		for n < len(cells) && look(cells[n]) == g {
			n++
		}
		if g < 0 {
			b.WriteString(faint.Render(strings.Repeat("·", n-i)))
		} else {
			b.WriteString(glyphs[g].style.Render(strings.Repeat(glyphs[g].sign, n-i)))
		}
		i = n
	}
	return b.String()
}

// look is the index of the gravest glyph of a cell, -1 for an idle one.
func look(c analysis.Cell) int {
	for i, g := range glyphs {
		if c&g.bit != 0 {
			return i
		}
	}
	return -1
}

// axis is a line of time marks about 12 columns apart.
func axis(cells int, cell time.Duration) string {
	const apart = 12
	var b strings.Builder
	for at := 0; at < cells; {
		mark := Duration(time.Duration(at) * cell)
		if at+len(mark) > cells {
			break
		}
		b.WriteString(mark)
		pad := max(apart-len(mark), 1)
		b.WriteString(strings.Repeat(" ", pad))
		at += len(mark) + pad
	}
	return strings.TrimRight(b.String(), " ")
}

// legend explains the glyphs that were drawn.
func legend(seen analysis.Cell, cell time.Duration) string {
	var parts []string
	for _, g := range glyphs {
		if seen&g.bit != 0 {
			parts = append(parts, g.style.Render(g.sign)+" "+faint.Render(g.means))
		}
	}
	parts = append(parts, faint.Render("one column is "+Duration(cell)))
	return strings.Join(parts, faint.Render("   "))
}

// Duration writes a duration for people: no more digits than they can use.
func Duration(d time.Duration) string {
	switch {
	case d >= 10*time.Second || d <= -10*time.Second:
		d = d.Round(100 * time.Millisecond)
	case d >= time.Second || d <= -time.Second:
		d = d.Round(10 * time.Millisecond)
	case d >= time.Millisecond:
		d = d.Round(100 * time.Microsecond)
	default:
		d = d.Round(time.Microsecond)
	}
	s := d.String()
	// "1h0m0s" and "7m0s" read better as "1h" and "7m".
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
