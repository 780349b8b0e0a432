package report

import (
	"fmt"
	"io"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/nolive/nolive/harness/check"
	"github.com/nolive/nolive/harness/event"
)

// Verdicts writes those of a valid run, in lines of about width columns, 0 for
// the default.
func Verdicts(w io.Writer, verdicts []check.Verdict, width int) {
	writeVerdicts(w, verdicts, true, columns(width))
}

func writeVerdicts(w io.Writer, verdicts []check.Verdict, valid bool, width int) {
	for i := range verdicts {
		writeVerdict(w, &verdicts[i], valid, width)
	}
}

// writeVerdict writes the assertion and what was found: for one that failed what
// was wanted and the events that prove it. Those of an invalid run prove nothing.
func writeVerdict(w io.Writer, v *check.Verdict, valid bool, width int) {
	sign := good.Render("ok  ")
	switch {
	case !valid:
		sign = faint.Render("?   ")
	case !v.OK:
		sign = bad.Render("FAIL")
	}
	fmt.Fprintf(w, "  %s %s\n", sign, v.Check)
	if v.OK {
		write(w, "       got ", v.Got, width, faint)
		return
	}
	write(w, "       want ", v.Want, width, lipgloss.NewStyle())
	write(w, "       got  ", v.Got, width, lipgloss.NewStyle())
	if !valid {
		return
	}
	for _, e := range v.Evidence {
		fmt.Fprintf(w, "         %s\n", faint.Render(Event(e)))
	}
}

// write writes a text after its label; what a check says of several backends is
// broken between them when it is too long for one line.
func write(w io.Writer, label, text string, width int, style lipgloss.Style) {
	lines := []string{text}
	if lipgloss.Width(label+text) > width {
		lines = strings.Split(text, "; ")
	}
	for i, line := range lines {
		if i > 0 {
			label = strings.Repeat(" ", len(label))
		}
		fmt.Fprintln(w, style.Render(label+line))
	}
}

// Event is one event on one line, for people.
func Event(e event.Event) string {
	parts := []string{fmt.Sprintf("%10s", Duration(e.At)), e.Kind.String()}
	if r := e.Request.String(); r != "" {
		parts = append(parts, r)
	}
	if e.Try > 0 {
		parts = append(parts, fmt.Sprintf("try %d", e.Try))
	}
	for _, p := range []string{e.Peer, e.Outcome.String()} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	if e.Status > 0 {
		parts = append(parts, fmt.Sprint(e.Status))
	}
	if e.Cached {
		parts = append(parts, "cached")
	}
	if e.Detail != "" {
		parts = append(parts, e.Detail)
	}
	return strings.Join(parts, " ")
}
