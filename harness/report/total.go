package report

import (
	"fmt"
	"io"
	"strings"
)

// NoRun writes why an engine could not run a scenario.
func NoRun(w io.Writer, e Entry) {
	fmt.Fprintf(w, "%s %s on %s\n  %s\n\n", bad.Bold(true).Render("NO RUN"), title.Render(name(e)), e.Engine,
		strings.ReplaceAll(e.Err.Error(), "\n", "\n  "))
}

func name(e Entry) string {
	if e.Variant == "" {
		return e.Scenario
	}
	return e.Scenario + "/" + e.Variant
}

// Total writes the last line: how many runs held, and which didn't.
func Total(w io.Writer, entries []Entry) {
	held := 0
	var not []string
	for _, e := range entries {
		what := ""
		switch {
		case e.Result == nil:
			what = "could not run"
		case !e.Result.Valid():
			what = "invalid"
		case !e.Result.OK():
			what = "failed"
		default:
			held++
			continue
		}
		not = append(not, fmt.Sprintf("%s on %s %s", name(e), e.Engine, what))
	}
	if len(not) == 0 {
		fmt.Fprintf(w, "%s: all expectations hold\n", plural(held, "run"))
		return
	}
	fmt.Fprintf(w, "%d of %s hold; %s\n", held, plural(len(entries), "run"), strings.Join(not, ", "))
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
