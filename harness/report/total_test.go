package report_test

import (
	"fmt"
	"testing"

	"github.com/charmbracelet/colorprofile"

	"github.com/nolive/nolive/harness/report"
)

// Ctrl-C in a library leaves two hundred runs that never began: they didn't fail, and
// their names aren't all told.
func TestTotalOfWhatWasInterrupted(t *testing.T) {
	var entries []report.Entry
	for i := range 10 {
		entries = append(entries, report.Entry{Scenario: fmt.Sprint("s", i), Engine: "sim", Err: report.ErrNotBegun})
	}
	got := plain(func(w *colorprofile.Writer) { report.Total(w, entries) })
	want := "10 of 10 runs proved nothing: interrupted\n" +
		"  interrupted: s0 on sim, s1 on sim, s2 on sim, s3 on sim, s4 on sim, s5 on sim, s6 on sim, s7 on sim, and 2 more\n"
	if got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
