package cli

import (
	"os"

	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/report"
)

// outputs are the files that a run writes beside the terminal.
type outputs struct{ json, events, junit *os.File }

// event writes the events of one finished run.
func (o *outputs) event(d done) error {
	if o.events == nil || d.Result == nil {
		return nil
	}
	return harness.WriteLog(o.events, d.Result, d.file)
}

// finish writes what sums up all runs.
func (o *outputs) finish(entries []report.Entry) error {
	if o.json != nil {
		if err := report.JSON(o.json, entries); err != nil {
			return err
		}
	}
	if o.junit != nil {
		if err := report.JUnit(o.junit, entries); err != nil {
			return err
		}
	}
	return o.close()
}

// close closes the files once; the first error counts.
func (o *outputs) close() error {
	var first error
	for _, f := range []**os.File{&o.json, &o.events, &o.junit} {
		if *f != nil {
			if err := (*f).Close(); err != nil && first == nil {
				first = err
			}
			*f = nil
		}
	}
	return first
}
