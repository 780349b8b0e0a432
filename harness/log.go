package harness

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/scenario"
	"github.com/nolive/nolive/proxy/upstream"
)

// WriteLog writes a run that kept its events: a header line with the scenario's
// text, then one event a line. Several runs may follow each other in one file.
func WriteLog(w io.Writer, r *Result, f *scenario.File) error {
	enc := event.NewEncoder(w)
	if err := enc.Header(event.Header{
		Version: event.Version, Scenario: r.Scenario.Name, Variant: r.Scenario.Variant, Engine: string(r.Engine), Nginx: r.Model.String(),
		Speed: r.Speed, Seed: r.Seed, ClockError: r.ClockError.Seconds(), Events: len(r.Events), Addresses: r.hashed(), Path: f.Path, Source: string(f.Source),
	}); err != nil {
		return err
	}
	for _, e := range r.Events {
		if err := enc.Encode(e); err != nil {
			return err
		}
	}
	return enc.Err()
}

// Stored is one run read from a log.
type Stored struct {
	event.Header
	// Run is the scenario or variant that ran.
	Run    *scenario.Scenario
	Events []event.Event
}

// End is the instant of the last event.
func (s *Stored) End() time.Duration {
	end := time.Duration(0)
	for _, e := range s.Events {
		end = max(end, e.At)
	}
	return end
}

// ReadLog reads all runs of a log. A scenario that keeps its nginx
// configuration in a file of its own is looked for beside the path it had.
func ReadLog(r io.Reader) ([]Stored, error) {
	all, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	var runs []Stored
	line := 1
	for _, part := range splitRuns(all) {
		run, err := readRun(part)
		if err != nil && line > 1 {
			err = fmt.Errorf("run that begins at line %d: %w", line, err)
		}
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
		line += bytes.Count(part, []byte("\n"))
	}
	return runs, nil
}

// splitRuns cuts a log before each header.
func splitRuns(all []byte) [][]byte {
	mark := []byte("\n{\"nolive\":")
	var parts [][]byte
	for {
		i := bytes.Index(all, mark)
		if i < 0 {
			return append(parts, all)
		}
		parts = append(parts, all[:i+1])
		all = all[i+1:]
	}
}

// as is a scenario as the nginx of a log reads it.
func as(s *scenario.Scenario, version string) (*scenario.Scenario, error) {
	v, err := upstream.ParseVersion(cmp.Or(version, "1.22"))
	if err != nil {
		return nil, err
	}
	return s.As(v)
}

func readRun(part []byte) (Stored, error) {
	dec := event.NewDecoder(bytes.NewReader(part))
	h, err := dec.Header()
	if err != nil {
		return Stored{}, err
	}
	s := Stored{Header: h}
	f, problems := scenario.Parse(h.Path, []byte(h.Source), os.DirFS(filepath.Dir(h.Path)))
	if err := problems.Err(); err != nil {
		return Stored{}, fmt.Errorf("its scenario: %w", err)
	}
	for _, c := range f.Scenarios {
		if c.Name == h.Scenario && c.Variant == h.Variant {
			s.Run = c
		}
	}
	if s.Run == nil {
		return Stored{}, fmt.Errorf("its scenario has no variant %q", h.Variant)
	}
	if s.Run, err = as(s.Run, h.Nginx); err != nil {
		return Stored{}, fmt.Errorf("its scenario: %w", err)
	}
	for {
		e, err := dec.Next()
		if errors.Is(err, io.EOF) {
			if len(s.Events) != h.Events {
				return Stored{}, fmt.Errorf("the log breaks off: it has %d of %d events", len(s.Events), h.Events)
			}
			return s, nil
		}
		if err != nil {
			return Stored{}, err
		}
		s.Events = append(s.Events, e)
	}
}
