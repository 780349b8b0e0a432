package report

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"github.com/nolive/nolive/harness/analysis"
)

// glyph is how one column of a lane looks.
type glyph uint8

// The glyphs; glyphs has their looks.
const (
	failed glyph = iota
	someFailed
	serverErrors
	someErrors
	awaited
	absent
	answered
	idle
	turned
)

var glyphs = [...]struct {
	sign  string
	style lipgloss.Style
	means string
}{
	failed:       {"X", bad, "failed or timed out"},
	someFailed:   {"x", bad, "some failed"},
	serverErrors: {"5", bad, "answered 5xx"},
	someErrors:   {"⁵", bad, "some 5xx"},
	awaited:      {"▒", busy, "waited for"},
	absent:       {"─", out, "out of rotation"},
	answered:     {"•", good, "answered"},
	idle:         {"·", faint, "idle"},
	turned:       {"█", bad, "share of requests turned away"},
}

// sparse is up to how many attempts a column shows them one by one.
const sparse = 4

// look is what filled most of a column. Where attempts are few, each counts: the
// X of a time-out or of a failed probe stands out from the stretch out of
// rotation that it begins. Where they are many, time counts: a minute in which
// seventy requests were answered, sixty timed out and the backend was out for
// forty seconds is a minute out of rotation, and X is left for the backend on
// which hardly anything succeeds.
//
// A backend that answers is one that answers, however slowly; it is waited for only
// where nothing came, or a slow one would look like one that hangs. A backend's own
// 5xx is no failure to nginx, which goes on asking it, but to whoever looks it is.
func look(c analysis.Cell) glyph {
	few := c.Answered+c.Failed <= sparse
	good, bad := c.Answered-c.Errors, c.Failed+c.Errors
	all, some := failed, someFailed
	if c.Errors > c.Failed {
		all, some = serverErrors, someErrors
	}
	switch {
	case few && bad > 0 && bad >= good:
		return all
	case c.Out >= 0.5:
		return absent
	case bad > 0 && bad >= 3*good:
		return all
	case bad > 0:
		return some
	case good > 0:
		return answered
	case c.Busy > 0 && c.Busy >= c.Out:
		return awaited
	case c.Out > 0:
		return absent
	}
	return idle
}

// WriteLanes draws one lane per backend, and one per upstream that turned
// clients away, at most width columns wide in all, with a time axis and a legend.
func WriteLanes(w io.Writer, l *analysis.Lanes, width int) {
	label := 0
	p := l.Fit(1)
	for _, lane := range p.Lanes {
		label = max(label, lipgloss.Width(lane.Backend))
	}
	for _, d := range p.Doors {
		label = max(label, lipgloss.Width(doorLabel(d, p)))
	}
	p = l.Fit(max(width-label-4, 20))
	var seen [len(glyphs)]bool
	line := func(name, cells string) {
		fmt.Fprintln(w, strings.TrimRight("  "+lipgloss.NewStyle().Width(label).Render(name)+"  "+cells, " "))
	}
	for _, lane := range p.Lanes {
		look := func(i int) glyph { return look(lane.Cells[i]) }
		for i := range lane.Cells {
			seen[look(i)] = true
		}
		line(lane.Backend, draw(len(lane.Cells), look, func(i int) string { return glyphs[look(i)].sign }))
	}
	for _, d := range p.Doors {
		seen[turned] = true
		line(doorLabel(d, p), drawDoor(d))
	}
	if marks := axis(p.Columns(), p.Column); marks != "" {
		line("", faint.Render(marks))
	}
	writeLegend(w, seen, p.Column, label+4, width)
}

// doorLabel names the upstream where there are several.
func doorLabel(d analysis.Door, p analysis.Picture) string {
	if len(p.Doors) == 1 {
		return "no live upstreams"
	}
	return "no live: " + d.Upstream
}

// eighths are bars from one eighth to the whole.
var eighths = []rune("▁▂▃▄▅▆▇█")

// drawDoor draws shares as bars; the smallest one shows, however small the share.
func drawDoor(d analysis.Door) string {
	look := func(i int) glyph {
		if d.Turned[i] > 0 {
			return turned
		}
		return idle
	}
	return draw(len(d.Turned), look, func(i int) string {
		if look(i) == idle {
			return glyphs[idle].sign
		}
		n := int(math.Ceil(d.Turned[i] * float64(len(eighths))))
		return string(eighths[min(max(n, 1), len(eighths))-1])
	})
}

// draw renders n columns, one style run at a time.
func draw(n int, look func(i int) glyph, sign func(i int) string) string {
	var b strings.Builder
	for i := 0; i < n; {
		g := look(i)
		run := ""
		for i < n && look(i) == g {
			run += sign(i)
			i++
		}
		b.WriteString(glyphs[g].style.Render(run))
	}
	return b.String()
}

// writeLegend explains the glyphs that were drawn: under the lanes, which begin
// at column indent, or from the left margin where it would be too long there.
func writeLegend(w io.Writer, seen [len(glyphs)]bool, column time.Duration, indent, width int) {
	var parts []string
	for g, look := range glyphs {
		if !seen[g] {
			continue
		}
		sign := look.sign
		if glyph(g) == turned {
			sign = string(eighths[0]) + "…" + string(eighths[len(eighths)-1])
		}
		parts = append(parts, look.style.Render(sign)+" "+faint.Render(look.means))
	}
	parts = append(parts, faint.Render("one column is "+Duration(column)))
	const gap = "   "
	if indent+lipgloss.Width(strings.Join(parts, gap)) > width {
		indent = 2
	}
	line := ""
	for _, p := range parts {
		if line != "" && indent+lipgloss.Width(line+gap+p) > width {
			fmt.Fprintln(w, strings.Repeat(" ", indent)+line)
			line = ""
		}
		if line != "" {
			line += gap
		}
		line += p
	}
	fmt.Fprintln(w, strings.Repeat(" ", indent)+line)
}
