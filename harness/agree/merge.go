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
// and their configurations may hold nothing but upstream and server blocks, as they
// are or in stream, and worker_processes if it is the same in all of them.
func Merge(all []*scenario.Scenario) (*scenario.Scenario, error) {
	out := &scenario.Scenario{Name: "cases", Seed: 1, Jitter: time.Hour}
	m := merging{seen: map[string]string{}}
	for _, s := range all {
		if s.Seed != out.Seed {
			return nil, fmt.Errorf("%s has the seed %d: cases that run together have seed %d", s.Title(), s.Seed, out.Seed)
		}
		if n, other := s.Nginx.WorkerProcesses, all[0].Nginx.WorkerProcesses; n != other {
			return nil, fmt.Errorf("%s has %d workers and %s has %d", all[0].Title(), other, s.Title(), n)
		}
		if err := m.add(s); err != nil {
			return nil, err
		}
		out.Backends = append(out.Backends, s.Backends...)
		out.Traffic = append(out.Traffic, s.Traffic...)
	}
	tree, broken := nginxconf.Parse("cases", []byte(m.text(all[0].Nginx.WorkerProcesses)), nil)
	cfg, mistakes := nginxconf.Interpret(tree)
	if p := append(broken, mistakes...); len(p) > 0 {
		return nil, fmt.Errorf("the cases together: %v", p[0])
	}
	out.Nginx = cfg
	return out, nil
}

// merging is what was taken over so far.
type merging struct {
	// http and stream are the blocks of each.
	http, stream strings.Builder
	seen         map[string]string
}

// add takes a case over.
func (m *merging) add(s *scenario.Scenario) error {
	for _, d := range s.Nginx.Tree.Directives {
		into, blocks := &m.http, []*nginxconf.Directive{d}
		switch d.Name.Text {
		case "worker_processes":
			continue
		case "stream":
			into, blocks = &m.stream, d.Children()
		}
		for _, b := range blocks {
			if n := b.Name.Text; n != "upstream" && n != "server" {
				return fmt.Errorf("%s: a case that runs with others has upstream and server blocks only, not %s", s.Title(), n)
			}
			into.Write(b.File.Text[b.Span.Start:b.Span.End])
			into.WriteByte('\n')
		}
	}
	return m.names(s)
}

// names notes all that has to be different from every other case's.
func (m *merging) names(s *scenario.Scenario) error {
	var listens []nginxconf.Listen
	for _, srv := range s.Nginx.Servers {
		listens = append(listens, srv.Listens...)
	}
	for _, srv := range s.Nginx.Streams {
		listens = append(listens, srv.Listens...)
	}
	for _, l := range listens {
		if err := m.claim(s, "listen", l.Address); err != nil {
			return err
		}
	}
	for _, b := range s.Backends {
		if err := m.claim(s, "backend", b.Name); err != nil {
			return err
		}
	}
	for _, t := range s.Traffic {
		if err := m.claim(s, "traffic", t.Name); err != nil {
			return err
		}
		if t.To == "" {
			return fmt.Errorf("%s: traffic %s doesn't say to which listen it goes", s.Title(), t.Name)
		}
	}
	return nil
}

func (m *merging) claim(s *scenario.Scenario, what, name string) error {
	if other, ok := m.seen[what+name]; ok {
		return fmt.Errorf("%s and %s both have the %s %s", other, s.Title(), what, name)
	}
	m.seen[what+name] = s.Title()
	return nil
}

// text is the configuration.
func (m *merging) text(workers int) string {
	out := settings
	if workers > 1 {
		out += fmt.Sprintf("worker_processes %d;\n", workers)
	}
	if m.stream.Len() > 0 {
		out += "stream {\n" + m.stream.String() + "}\n"
	}
	return out + m.http.String()
}
