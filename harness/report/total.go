package report

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/nolive/nolive/harness/live"
)

// ErrNotBegun is the Err of an Entry that was interrupted before it began.
var ErrNotBegun = errors.New("interrupted before it began")

// NoRun writes why an engine could not run a scenario; nothing for one that
// was never begun.
func NoRun(w io.Writer, e Entry) {
	if errors.Is(e.Err, ErrNotBegun) {
		return
	}
	fmt.Fprintf(w, "%s %s on %s\n  %s\n\n", bad.Bold(true).Render("NO RUN"), title.Render(name(e)), e.On(),
		strings.ReplaceAll(e.Err.Error(), "\n", "\n  "))
}

func name(e Entry) string {
	if e.Variant == "" {
		return e.Scenario
	}
	return e.Scenario + "/" + e.Variant
}

// Total writes the last lines: how many runs held, and which didn't, by reason.
func Total(w io.Writer, entries []Entry) {
	by := map[string][]string{}
	for _, e := range entries {
		if r := reason(e); r != "" {
			by[r] = append(by[r], name(e)+" on "+e.On())
		}
	}
	all, n, cut := plural(len(entries), "run"), 0, len(by[interrupted])
	for r := range by {
		if r != interrupted {
			n += len(by[r])
		}
	}
	switch {
	case n == 1:
		fmt.Fprintf(w, "1 of %s doesn't hold\n", all)
	case n > 1:
		fmt.Fprintf(w, "%d of %s don't hold\n", n, all)
	case cut > 0:
		fmt.Fprintf(w, "%d of %s proved nothing: interrupted\n", cut, all)
	default:
		fmt.Fprintf(w, "%s: all expectations hold\n", all)
	}
	if most := 8; cut > most { // after Ctrl-C in a library nobody reads two hundred names
		by[interrupted] = append(by[interrupted][:most], fmt.Sprintf("and %d more", cut-most))
	}
	for _, r := range []string{"failed", "invalid", "could not run", interrupted} {
		if len(by[r]) > 0 {
			fmt.Fprintf(w, "  %s %s\n", bad.Render(r+":"), strings.Join(by[r], ", "))
		}
	}
}

// interrupted is the reason of a run that Ctrl-C ended, or kept from beginning.
const interrupted = "interrupted"

// reason is why a run doesn't hold, "" when it does.
func reason(e Entry) string {
	switch {
	case e.Result == nil && errors.Is(e.Err, ErrNotBegun):
		return interrupted
	case e.Result == nil:
		return "could not run"
	case e.Result.Invalid == live.Interrupted:
		return interrupted
	case !e.Result.Valid():
		return "invalid"
	case !e.Result.OK():
		return "failed"
	}
	return ""
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// times is how often something happened.
func times(n int) string {
	switch n {
	case 0:
		return "never"
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return fmt.Sprintf("%d times", n)
}
