package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/scenario"
	"github.com/nolive/nolive/proxy/nginxconf"
)

// lintCommand is `nolive lint`.
type lintCommand struct {
	Files []string     `arg:"" optional:"" help:"Scenario files, or names of shipped scenarios. Without any, the whole shipped library."`
	Rules modelVersion `name:"nginx-version" placeholder:"1.22" help:"The version of nginx whose rules hold, whatever the scenario says; default that of the nginx on PATH, else the newest stable one."`
}

// Run reports mistakes, what was probably not meant, and what nobody looks at: all
// by the rules of the nginx that a run would go by.
func (c *lintCommand) Run(ctx context.Context, io Streams) error {
	files, err := load(c.Files)
	var wrong mistakes
	if err != nil && !errors.As(err, &wrong) {
		return err
	}
	r := rules{c.Rules.Version, found(ctx, nil)}
	for _, f := range files {
		f, refused := r.file(f)
		if len(refused) > 0 {
			wrong = append(wrong, refused...)
			continue
		}
		for _, p := range f.Warnings {
			fmt.Fprintln(io.Out, p.Warning())
		}
		for _, line := range warned(f) {
			fmt.Fprintln(io.Out, line)
		}
		for _, line := range ignored(f) {
			fmt.Fprintln(io.Out, line)
		}
		for _, line := range unreached(f) {
			fmt.Fprintln(io.Out, line)
		}
		for _, line := range madeUp(f) {
			fmt.Fprintln(io.Out, line)
		}
		fmt.Fprintf(io.Out, "%s: ok as nginx %s%s\n", f.Path, versions(f), onNginxOnly(f))
	}
	if len(wrong) > 0 {
		return wrong
	}
	return nil
}

// versions are those by whose rules the scenarios of a file were read.
func versions(f *scenario.File) string {
	var out []string
	for _, s := range f.Scenarios {
		if v := s.Nginx.Version.String(); !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return enumerate(out, "and")
}

// onNginxOnly says what a run without --engine can't run, "" for nothing.
func onNginxOnly(f *scenario.File) string {
	var which []string
	for _, s := range f.Scenarios {
		if len(s.Nginx.NginxOnly) > 0 && (slices.Contains(s.Engines, string(harness.Sim)) || slices.Contains(s.Engines, string(harness.Reference))) {
			which = append(which, s.Title())
		}
	}
	switch {
	case len(which) == 0:
		return ""
	case len(which) == len(f.Scenarios):
		return ", on the nginx engine only"
	}
	return ", " + enumerate(which, "and") + " on the nginx engine only"
}

// warned are nginx's own warnings, once each.
func warned(f *scenario.File) []string {
	var out []string
	for _, s := range f.Scenarios {
		for _, n := range s.Nginx.Warnings {
			if line := fmt.Sprintf("%v: warning: nginx warns: %s", n.Pos, n.Text); !slices.Contains(out, line) {
				out = append(out, line)
			}
		}
	}
	return out
}

// unreached are the directives that only a real nginx can do and that no traffic
// comes to, one line for each scenario that has other ones.
func unreached(f *scenario.File) []string {
	var out []string
	seen := map[string]bool{}
	for _, s := range f.Scenarios {
		var names []string
		for _, n := range s.Nginx.Unreached {
			if d := n.Directive(); !slices.Contains(names, d) {
				names = append(names, d)
			}
		}
		list := strings.Join(names, ", ")
		if list != "" && !seen[list] {
			seen[list] = true
			out = append(out, fmt.Sprintf("%v: note: no traffic comes to what runs on nginx only: %s", s.Nginx.Unreached[0].Pos, list))
		}
	}
	return out
}

// madeUp are the files that a real nginx gets something else for, because they
// aren't beside the scenario.
func madeUp(f *scenario.File) []string {
	var out []string
	for _, s := range f.Scenarios {
		for _, line := range s.MadeUp() {
			if !slices.Contains(out, line) {
				out = append(out, line)
			}
		}
	}
	return out
}

// ignored are the directives that the simulator and the reference proxy pass
// over, one line for each configuration that has other ones.
func ignored(f *scenario.File) []string {
	var out []string
	seen := map[string]bool{}
	for _, s := range f.Scenarios {
		var names []string
		var first nginxconf.Pos
		for _, n := range s.Nginx.Ignored {
			if n.Text != "worker_connections" {
				if names == nil {
					first = n.Pos
				}
				names = append(names, n.Text)
				continue
			}
			limit := fmt.Sprintf("%v: note: sim and reference never run out of connections, whatever worker_connections says", n.Pos)
			if !seen[limit] {
				seen[limit] = true
				out = append(out, limit)
			}
		}
		list := strings.Join(names, ", ")
		if list != "" && !seen[list] {
			seen[list] = true
			out = append(out, fmt.Sprintf("%v: note: sim and reference ignore what can't matter for failover: %s", first, list))
		}
	}
	return out
}
