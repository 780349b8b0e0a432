package nginxconf

import "strings"

// locations reads the location blocks among the directives of a server or of
// another location.
func (in *interpreter) locations(ds []*Directive, good []bool, s *Server, parent *Location, base proxyLevel, where context) {
	names := map[string]bool{}
	for i, d := range ds {
		if !good[i] {
			continue
		}
		if d.Name.Text == "location" {
			in.location(d, s, parent, base, where, names)
		} else {
			in.inner(d, where)
		}
	}
}

// matcher is how a location is written: modifier and path.
type matcher struct{ mod, path string }

// matcherOf reads the arguments; the modifier may stick to the path
// (ngx_http_core_location). False: an invalid modifier.
func matcherOf(d *Directive) (matcher, bool) {
	if len(d.Args) == 2 {
		m := matcher{d.Arg(0), d.Arg(1)}
		switch m.mod {
		case "=", "^~", "~", "~*":
			return m, true
		}
		return m, false
	}
	for _, mod := range []string{"=", "^~", "~*", "~"} {
		if path, ok := strings.CutPrefix(d.Arg(0), mod); ok {
			return matcher{mod, path}, true
		}
	}
	if strings.HasPrefix(d.Arg(0), "@") {
		return matcher{"@", d.Arg(0)}, true
	}
	return matcher{"", d.Arg(0)}, true
}

func (m matcher) regex() bool { return strings.HasPrefix(m.mod, "~") }

// location reads one location block.
func (in *interpreter) location(d *Directive, s *Server, parent *Location, base proxyLevel, where context, names map[string]bool) {
	m, ok := matcherOf(d)
	if !ok {
		in.out.add(d.ArgPos(0), "=, ^~, ~ or ~*", "invalid location modifier \"%s\"", m.mod)
	}
	l := &Location{Exact: m.mod == "=", Path: m.path, parent: parent}
	routed := ok && !m.regex() && m.mod != "@"
	switch {
	case m.regex():
		in.nginxOnly(d, "it is a regular expression")
	case parent == nil || !ok:
	case parent.Exact:
		in.out.add(d.Pos(), "", "location \"%s\" cannot be inside the exact location \"%s\"", m.path, parent.Path)
	case strings.HasPrefix(parent.Path, "@"):
		in.out.add(d.Pos(), "", "location \"%s\" cannot be inside the named location \"%s\"", m.path, parent.Path)
	case m.mod == "@":
		in.out.add(d.Pos(), "", "named location \"%s\" can be on the server level only", m.path)
	case parent.Path != "" && !strings.HasPrefix(m.path, parent.Path):
		in.out.add(d.Pos(), "", "location \"%s\" is outside location \"%s\"", m.path, parent.Path)
	}
	if key := m.path; routed || m.mod == "@" {
		if l.Exact {
			key = "=" + key
		}
		if names[key] {
			in.out.add(d.Pos(), "", "duplicate location \"%s\"", m.path)
			routed = false
		}
		names[key] = true
	}
	if routed {
		s.Locations = append(s.Locations, l)
	}
	in.inLocation(d, s, l, m, base)
}

// inLocation reads the inside of a location block.
func (in *interpreter) inLocation(d *Directive, s *Server, l *Location, m matcher, base proxyLevel) {
	ds := d.Children()
	before := seen{}
	good := make([]bool, len(ds))
	var pass *Directive
	for i, c := range ds {
		if good[i] = in.check(c, inLocation, before); good[i] && c.Name.Text == "proxy_pass" && in.once(c, before) {
			pass = c
		}
	}
	own := in.proxyLevel(ds)
	here := own.over(base)
	l.logs = here.logs.logs()
	l.Return = in.firstReturn(ds)
	if pass != nil {
		l.proxied = true
		if p := in.pass(pass, m, here); l.Return == nil {
			l.Pass = p
		}
	}
	if pass == nil && l.Return == nil && here.root != nil && !m.regex() {
		in.nginxOnly(here.root, "files are served")
	}
	parent := l
	if m.regex() {
		parent = &Location{Path: m.path}
		s = &Server{} // what is in there isn't routed
	}
	in.locations(ds, good, s, parent, here, inLocation)
}

// firstReturn is the return of a level that counts: the first one
// (ngx_http_rewrite_return).
func (in *interpreter) firstReturn(ds []*Directive) *Return {
	var first *Return
	for _, d := range ds {
		if d.Name.Text != "return" || d.Block != nil || d.Broken || len(d.Args) < 1 || len(d.Args) > 2 {
			continue
		}
		r := in.returns(d)
		if first == nil {
			first = r
		}
	}
	return first
}

func (in *interpreter) returns(d *Directive) *Return {
	code := number(d.Arg(0))
	if code < 0 && len(d.Args) == 1 {
		for _, p := range []string{"http://", "https://", "$scheme"} {
			if strings.HasPrefix(d.Arg(0), p) {
				return in.text(d, &Return{302, d.Arg(0)})
			}
		}
	}
	if code < 0 || code > 999 {
		in.out.add(d.ArgPos(0), missingSemicolon(d), "invalid return code \"%s\"", d.Arg(0))
		return nil
	}
	if code == 444 {
		in.nginxOnlyArg(d, 0, "the connection is closed without an answer")
	}
	return in.text(d, &Return{int(code), d.Arg(1)})
}

// text notes variables in what a return answers.
func (in *interpreter) text(d *Directive, r *Return) *Return {
	if strings.Contains(r.Text, "$") {
		in.cfg.Ignored = append(in.cfg.Ignored, Note{Pos: d.Pos(), Text: "variables in the text of return"})
	}
	return r
}

// header is one proxy_set_header.
type header struct {
	name, value string
	d           *Directive
}

func isConnection(h header) bool { return strings.EqualFold(h.name, "Connection") }
