package agree

import (
	"fmt"
	"strings"
	"time"

	"github.com/nolive/nolive/harness/scenario"
	"github.com/nolive/nolive/proxy/nginxconf"
)

// settings go into the configuration that all cases share. A worker has a
// listening socket for each case.
const settings = "events { worker_connections 16384; }\n"

// Merge makes one scenario of many: one configuration, one load. No two of them
// may have a name in common, nor a listen; each traffic has to say where it goes,
// and their configurations may hold nothing but upstream and server blocks, and
// worker_processes if it is the same in all of them.
func Merge(all []*scenario.Scenario) (*scenario.Scenario, error) {
	var text strings.Builder
	text.WriteString(settings)
	if n := all[0].Nginx.WorkerProcesses; n > 1 {
		fmt.Fprintf(&text, "worker_processes %d;\n", n)
	}
	out := &scenario.Scenario{Name: "cases", Seed: 1, Jitter: time.Hour}
	seen := map[string]string{}
	claim := func(s *scenario.Scenario, what, name string) error {
		if other, ok := seen[what+name]; ok {
			return fmt.Errorf("%s and %s both have the %s %s", other, s.Title(), what, name)
		}
		seen[what+name] = s.Title()
		return nil
	}
	for _, s := range all {
		if s.Seed != out.Seed {
			return nil, fmt.Errorf("%s has the seed %d: cases that run together have seed %d", s.Title(), s.Seed, out.Seed)
		}
		if n, other := s.Nginx.WorkerProcesses, all[0].Nginx.WorkerProcesses; n != other {
			return nil, fmt.Errorf("%s has %d workers and %s has %d", all[0].Title(), other, s.Title(), n)
		}
		for _, d := range s.Nginx.Tree.Directives {
			switch n := d.Name.Text; n {
			case "upstream", "server":
				text.Write(d.File.Text[d.Span.Start:d.Span.End])
				text.WriteByte('\n')
			case "worker_processes":
			default:
				return nil, fmt.Errorf("%s: a case that runs with others has upstream and server blocks only, not %s", s.Title(), n)
			}
		}
		for _, srv := range s.Nginx.Servers {
			for _, l := range srv.Listens {
				if err := claim(s, "listen", l.Address); err != nil {
					return nil, err
				}
			}
		}
		for _, b := range s.Backends {
			if err := claim(s, "backend", b.Name); err != nil {
				return nil, err
			}
		}
		for _, t := range s.Traffic {
			if err := claim(s, "traffic", t.Name); err != nil {
				return nil, err
			}
			if t.To == "" {
				return nil, fmt.Errorf("%s: traffic %s doesn't say to which listen it goes", s.Title(), t.Name)
			}
		}
		out.Backends = append(out.Backends, s.Backends...)
		out.Traffic = append(out.Traffic, s.Traffic...)
	}
	tree, broken := nginxconf.Parse("cases", []byte(text.String()), nil)
	cfg, mistakes := nginxconf.Interpret(tree)
	if p := append(broken, mistakes...); len(p) > 0 {
		return nil, fmt.Errorf("the cases together: %v", p[0])
	}
	out.Nginx = cfg
	return out, nil
}
