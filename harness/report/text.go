package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/check"
	"github.com/nolive/nolive/harness/clock"
	"github.com/nolive/nolive/harness/event"
)

// Text writes one result for people: the verdicts, for a failed one the events
// that prove it, one lane per backend, and the run's own jitter. Width is the
// terminal's in columns, 0 for none.
func Text(w io.Writer, r *harness.Result, width int) {
	if width <= 0 {
		width = 100
	}
	fmt.Fprintln(w, heading(r))
	for _, a := range r.Abandoned {
		fmt.Fprintf(w, "  %s\n", faint.Render("repeated slower: "+a))
	}
	for i := range r.Verdicts {
		writeVerdict(w, &r.Verdicts[i], r.Valid())
	}
	WriteLanes(w, r.Lanes, width)
	if r.Engine != harness.Sim {
		fmt.Fprintf(w, "  %s\n", faint.Render(jitter(r)))
	}
	if !r.Valid() {
		fmt.Fprintf(w, "  %s\n", bad.Render("INVALID: "+r.Invalid))
	}
	fmt.Fprintln(w)
}

// heading is "PASS name/variant on nginx/1.22.1 at speed 30, seed 1: 7m of scenario time in 14s".
func heading(r *harness.Result) string {
	word := good.Bold(true).Render("PASS")
	switch {
	case !r.Valid():
		word = bad.Bold(true).Render("INVALID")
	case !r.OK():
		word = bad.Bold(true).Render("FAIL")
	}
	engine := string(r.Engine)
	if r.Version != "" {
		engine = r.Version
	}
	speed := ""
	if r.Engine != harness.Sim {
		speed = fmt.Sprintf(" at speed %g", r.Speed)
	}
	return fmt.Sprintf("%s %s on %s%s, seed %d: %s of scenario time in %s", word,
		title.Render(r.Scenario.Title()), engine, speed, r.Seed, Duration(r.End), Duration(r.Wall))
}

func writeVerdict(w io.Writer, v *check.Verdict, valid bool) {
	sign := good.Render("ok  ")
	switch {
	case !valid:
		sign = faint.Render("?   ")
	case !v.OK:
		sign = bad.Render("FAIL")
	}
	fmt.Fprintf(w, "  %s %s\n", sign, v.Check)
	if v.OK {
		fmt.Fprintf(w, "       %s\n", faint.Render("got "+v.Got))
		return
	}
	fmt.Fprintf(w, "       want %s\n       got  %s\n", v.Want, v.Got)
	for _, e := range v.Evidence {
		fmt.Fprintf(w, "         %s\n", faint.Render(Event(e)))
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

// jitter says what the run measured of itself.
func jitter(r *harness.Result) string {
	one := func(what string, j clock.Jitter) string {
		return fmt.Sprintf("%s up to %s late (p99 %s)", what, Duration(j.Max), Duration(j.P99))
	}
	text := "jitter in scenario time: " + one("sends", r.Send) + ", " + one("waits", r.Wait)
	if r.ClockError > 0 {
		text += ", proxy's clock within " + Duration(r.ClockError)
	}
	return text
}
