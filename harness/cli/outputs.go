package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/report"
)

// outputs are the files that a run writes beside the terminal.
type outputs struct{ json, events, junit io.WriteCloser }

// stdout is the path that stands for standard output.
const stdout = "-"

// standard is standard output as a file that isn't ours to close.
type standard struct{ io.Writer }

func (standard) Close() error { return nil }

// openOutputs opens the files before anything runs, so that a wrong path is known
// at once; "" is none, and stdout is out.
func openOutputs(json, events, junit string, out io.Writer) (*outputs, error) {
	o := &outputs{}
	flags := map[string]string{}
	for _, f := range []struct {
		flag, path string
		file       *io.WriteCloser
	}{{"--json", json, &o.json}, {"--events", events, &o.events}, {"--junit", junit, &o.junit}} {
		if f.path == "" {
			continue
		}
		if other, ok := flags[f.path]; ok {
			o.close()
			return nil, fmt.Errorf("%s %s: %s writes to the same file", f.flag, f.path, other)
		}
		flags[f.path] = f.flag
		if f.path == stdout {
			*f.file = standard{out}
			continue
		}
		file, err := os.Create(f.path)
		if err != nil {
			o.close()
			return nil, fmt.Errorf("%s %s: %w", f.flag, f.path, reason(err))
		}
		*f.file = file
	}
	return o, nil
}

// reason is an error without the operation and the path.
func reason(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

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
	for _, f := range []*io.WriteCloser{&o.json, &o.events, &o.junit} {
		if *f != nil {
			if err := (*f).Close(); err != nil && first == nil {
				first = err
			}
			*f = nil
		}
	}
	return first
}
