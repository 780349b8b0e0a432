package report

import (
	"fmt"
	"io"

	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/analysis"
	"github.com/nolive/nolive/harness/clock"
	"github.com/nolive/nolive/harness/live"
	"github.com/nolive/nolive/proxy/upstream"
)

// Text writes one result for people: the verdicts, for a failed one the events
// that prove it, one lane per backend, and the run's own jitter. Width is the
// terminal's in columns, 0 for none.
func Text(w io.Writer, r *harness.Result, width int) {
	width = columns(width)
	fmt.Fprintln(w, heading(r))
	for _, a := range r.Abandoned {
		fmt.Fprintf(w, "  %s\n", faint.Render("repeated: "+a))
	}
	if !r.Valid() && r.Invalid != live.Interrupted {
		fmt.Fprintf(w, "  %s\n", bad.Render("proves nothing: "+r.Invalid))
	}
	writeVerdicts(w, r.Verdicts, r.Valid(), width)
	writeMismatches(w, r.Summary)
	for _, u := range r.Unapplied {
		fmt.Fprintf(w, "  %s %s\n", warning.Render("warning:"), u)
	}
	for _, a := range r.Alerts {
		fmt.Fprintf(w, "  %s %s\n", bad.Render("nginx:"), a)
	}
	WriteLanes(w, r.Lanes, width)
	if r.Engine != harness.Sim {
		fmt.Fprintf(w, "  %s\n", faint.Render(jitter(r)))
	}
	fmt.Fprintln(w)
}

// columns is the width to write in when the terminal's is unknown.
func columns(width int) int {
	if width <= 0 {
		return 100
	}
	return width
}

// heading is "PASS name/variant on nginx/1.22.1 at speed 30, seed 1: 7m of scenario time in 14s".
func heading(r *harness.Result) string {
	word := good.Bold(true).Render("PASS")
	switch {
	case r.Invalid == live.Interrupted:
		word = bad.Bold(true).Render("INTERRUPTED")
	case !r.Valid():
		word = bad.Bold(true).Render("INVALID")
	case !r.OK():
		word = bad.Bold(true).Render("FAIL")
	}
	engine := string(r.Engine)
	if r.Version != "" {
		engine = r.Version
	} else {
		engine += " as nginx " + r.Model.String()
		if r.Model.Unread() {
			engine += ", which isn't known, by the rules of " + upstream.Stable.String()
		}
	}
	if r.Image != "" {
		engine += " in " + r.Image
	}
	speed := ""
	if r.Engine != harness.Sim {
		speed = fmt.Sprintf(" at speed %g", r.Speed)
	}
	return fmt.Sprintf("%s %s on %s%s, seed %d: %s of scenario time in %s", word,
		title.Render(r.Scenario.Title()), engine, speed, r.Seed, Duration(r.End), Duration(r.Wall))
}

// writeMismatches tells where the proxy and the backends disagree on how often a
// request was tried: a finding about the proxy, whatever the scenario expects.
func writeMismatches(w io.Writer, s *analysis.Summary) {
	n, first := s.Mismatches()
	if n == 0 {
		return
	}
	fmt.Fprintf(w, "  %s\n", bad.Render(plural(n, "request")+" counted differently by the proxy and by a backend:"))
	for _, m := range first {
		fmt.Fprintf(w, "       %s\n", faint.Render(fmt.Sprintf("%v on %s: %s by the proxy (%d answered), read %s by the backend",
			m.Request, m.Backend, plural(m.Attempts, "attempt"), m.Answered, times(m.Got))))
	}
	if n > len(first) {
		fmt.Fprintf(w, "       %s\n", faint.Render(fmt.Sprintf("and %d more", n-len(first))))
	}
}

// jitter says what the run measured of itself.
func jitter(r *harness.Result) string {
	one := func(what string, j clock.Jitter) string {
		return fmt.Sprintf("%s up to %s late (p99 %s)", what, Duration(j.Max), Duration(j.P99))
	}
	text := "jitter in scenario time: " + one("sends", r.Send) + ", " + one("waits", r.Wait)
	if r.Stall.Count > 0 {
		text += ", the machine stood still for up to " + Duration(r.Stall.Max)
	}
	if r.ClockError > 0 {
		text += ", proxy's clock within " + Duration(r.ClockError)
	}
	return text
}
