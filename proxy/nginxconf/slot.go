package nginxconf

import (
	"slices"
	"strings"
)

// slot is a place in the text that holds an address.
type slot struct {
	// name is the address as written.
	name string
	// span is what a replacement goes into, between before and after.
	span          Span
	before, after string
	// canonical is the same for all spellings of the address.
	canonical string
	// colon is true where a ":" follows, which ends the path of a unix socket in front
	// of a URI.
	colon bool
}

// family says which part of a configuration a directive is in: the same words
// mean other things there.
type family uint8

const (
	httpPart family = iota
	streamPart
)

// slotOf returns the address that d holds: a server of an upstream, or the
// constant host of a pass directive that names no upstream block.
func slotOf(d *Directive, in context, part family, blocks map[string]bool) (slot, bool) {
	if d.Block != nil || len(d.Args) == 0 || d.Broken {
		return slot{}, false
	}
	name, arg := d.Name.Text, d.Arg(0)
	if in == inUpstream {
		if name != "server" {
			return slot{}, false
		}
		a, err := parseAddress(arg, 80, forServer)
		return d.slot(0, arg, a.canonical()), err == ""
	}
	if part == streamPart {
		if name != "proxy_pass" || strings.Contains(arg, "$") || blocks[strings.ToLower(arg)] {
			return slot{}, false
		}
		a, err := parseAddress(arg, 0, forServer)
		return d.slot(0, arg, a.canonical()), err == ""
	}
	l, ok := passLiteral(name, arg)
	if !ok || blocks[l.host] && (l.noPort || l.unix) {
		return slot{}, false
	}
	s := d.slot(len(l.scheme), l.text, l.canonical())
	if s.colon = l.unix && l.uri != ""; s.colon && s.after == "" {
		s.span.End++
	} else if s.colon {
		s.after = s.after[1:]
	}
	return s, true
}

// slot is the part of the first argument that starts at offset at.
func (d *Directive) slot(at int, name, canonical string) slot {
	w := d.Args[0]
	raw := string(d.File.Text[w.Span.Start:w.Span.End])
	start := w.Span.Start
	if raw != "" && (raw[0] == '"' || raw[0] == '\'') {
		start++
		raw = raw[1 : len(raw)-1]
	}
	s := slot{name: name, canonical: canonical}
	if raw == w.Text {
		s.span = Span{start + at, start + at + len(name)}
		return s
	}
	// Escapes in the word: all of it is replaced.
	s.span = w.Span
	s.before, s.after = w.Text[:at], w.Text[at+len(name):]
	return s
}

// blockNames are the names, lower case, of the upstream blocks among ds.
func blockNames(ds []*Directive) map[string]bool {
	names := map[string]bool{}
	for _, d := range ds {
		if d.Name.Text == "upstream" && d.Block != nil {
			names[strings.ToLower(d.Arg(0))] = true
		}
	}
	return names
}

// part is the inside of http, or of stream.
type part struct {
	family family
	ds     []*Directive
}

// parts are the parts of a configuration that hold addresses, in order.
func (t *Tree) parts() []part {
	main, http := t.sections()
	var out []part
	for _, d := range main {
		switch d.Name.Text {
		case "http":
			out = append(out, part{httpPart, d.Children()})
		case "stream":
			out = append(out, part{streamPart, d.Children()})
		}
	}
	if http != nil {
		out = append(out, part{httpPart, http})
	}
	return out
}

// backends are the names of all backends, once each, in order of appearance,
// and the first name of each canonical address. A literal pass that spells the
// address of an earlier one differently is the same backend.
//
// possible are the addresses that a proxy_pass with variables may come to.
func (t *Tree) backends() (names []string, byAddress map[string]string, possible []string) {
	byAddress = map[string]string{}
	for _, p := range t.parts() {
		blocks := blockNames(p.ds)
		var walk func(ds []*Directive, in context)
		walk = func(ds []*Directive, in context) {
			for _, d := range ds {
				if d.Block != nil {
					walk(d.Children(), contextOf(d, in))
					continue
				}
				s, ok := slotOf(d, in, p.family, blocks)
				if !ok || slices.Contains(names, s.name) || in != inUpstream && byAddress[s.canonical] != "" {
					continue
				}
				if byAddress[s.canonical] == "" {
					byAddress[s.canonical] = s.name
				}
				names = append(names, s.name)
			}
		}
		walk(p.ds, inHTTP)
		if p.family != httpPart {
			continue
		}
		for _, n := range possibleHosts(p.ds, blocks) {
			a, err := parseAddress(n, 80, forPass)
			if err != "" || a.unix || slices.Contains(possible, n) {
				continue
			}
			if byAddress[a.canonical()] == "" {
				byAddress[a.canonical()] = n
				names = append(names, n)
			}
			possible = append(possible, n)
		}
	}
	return names, byAddress, possible
}

// contextOf is the context inside d's block.
func contextOf(d *Directive, in context) context {
	switch d.Name.Text {
	case "http":
		return inHTTP
	case "events":
		return inEvents
	case "upstream":
		return inUpstream
	case "server":
		return inServer
	case "location":
		return inLocation
	case "limit_except":
		return inLimitExcept
	case "if":
		if in == inServer {
			return inServerIf
		}
		return inLocationIf
	}
	return 0
}

// Listens are the different listen addresses as written, in order of
// appearance; "80" stands for a server without one. Addresses that nginx takes
// for the same ("80" and "*:80") are listed once.
func (t *Tree) Listens() []string {
	var out []string
	had := map[string]bool{}
	add := func(s string) {
		if c := canonicalListen(s); !had[c] {
			had[c] = true
			out = append(out, s)
		}
	}
	for _, p := range t.parts() {
		for _, d := range p.ds {
			if d.Name.Text != "server" || d.Block == nil {
				continue
			}
			own := d.listens()
			for _, l := range own {
				add(l.Arg(0))
			}
			if own == nil && p.family == httpPart {
				add(defaultListen)
			}
		}
	}
	return out
}

// listens are the listen directives of a server block.
func (d *Directive) listens() []*Directive {
	var out []*Directive
	for _, c := range d.Children() {
		if c.Name.Text == "listen" && len(c.Args) > 0 && c.Block == nil {
			out = append(out, c)
		}
	}
	return out
}
