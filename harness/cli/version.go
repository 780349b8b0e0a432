package cli

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/scenario"
	"github.com/nolive/nolive/proxy/upstream"
)

// versionCommand is `nolive version`. The Go tool knows which version it built: that
// of the module, or the commit.
type versionCommand struct{}

// Run prints one line.
func (versionCommand) Run(io Streams) error {
	own := "(unknown version)"
	if b, ok := debug.ReadBuildInfo(); ok && b.Main.Version != "" {
		own = b.Main.Version
	}
	_, err := fmt.Fprintf(io.Out, "nolive %s, models nginx %s to %s\n", own, upstream.Oldest, upstream.Stable)
	return err
}

// modelVersion is a flag that names a version of nginx.
type modelVersion struct{ upstream.Version }

// UnmarshalText reads the flag's value.
func (v *modelVersion) UnmarshalText(text []byte) (err error) {
	v.Version, err = upstream.ParseVersion(string(text))
	return err
}

// rules say by which nginx scenarios are read, as a run on sim or reference does.
type rules struct {
	// asked is the version of the command line, the zero value for none; otherwise is
	// that for scenarios which don't say.
	asked, otherwise upstream.Version
}

// file is a file as that nginx reads it, or why it doesn't take it.
func (r rules) file(f *scenario.File) (*scenario.File, mistakes) {
	out := *f
	out.Scenarios = nil
	var wrong mistakes
	for _, s := range f.Scenarios {
		v := r.asked
		if v.IsZero() {
			v = s.NginxVersion
		}
		if v.IsZero() {
			v = r.otherwise
		}
		read, err := s.As(v)
		if err != nil {
			if line := err.Error(); !slices.Contains(wrong, line) {
				wrong = append(wrong, line)
			}
			continue
		}
		out.Scenarios = append(out.Scenarios, read)
	}
	return &out, wrong
}

// found is the version of the first nginx that runs beside the other engines, so
// that they follow the same rules, else of the one on PATH; the zero value when
// there is none. One that should run and can't is told by its own run.
func found(ctx context.Context, columns []column) upstream.Version {
	runs := slices.DeleteFunc(slices.Clone(columns), func(c column) bool { return c.engine != harness.Nginx })
	if len(runs) == 0 {
		runs = []column{{engine: harness.Nginx}}
	}
	for _, c := range runs {
		if v, err := (harness.Runner{NginxBinary: c.binary, NginxHost: c.host}).FindNginx(ctx); err == nil {
			return v
		}
	}
	return upstream.Version{}
}
