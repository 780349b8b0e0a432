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
		switch d.Name.Text {
		case "location":
			in.location(d, s, parent, base, where, names)
		case "if", "limit_except": // read with the script
		default:
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
	l := &Location{Exact: m.mod == "=", Path: m.path, parent: parent, noRegex: m.mod == "^~", named: m.mod == "@"}
	l.internal = parent != nil && parent.internal // it is inherited
	routed := ok
	if ok && m.regex() {
		l.regex = in.regex(d, len(d.Args)-1, m.path, m.mod == "~*")
		if routed = l.regex != nil; routed {
			in.makes(l.regex.names)
		}
	}
	switch {
	case parent == nil || !ok:
	case parent.Exact:
		in.out.add(d.Pos(), "", "location \"%s\" cannot be inside the exact location \"%s\"", m.path, parent.Path)
	case parent.named:
		in.out.add(d.Pos(), "", "location \"%s\" cannot be inside the named location \"%s\"", m.path, parent.Path)
	case m.mod == "@":
		in.out.add(d.Pos(), "", "named location \"%s\" can be on the server level only", m.path)
	case !m.regex() && parent.Path != "" && !strings.HasPrefix(m.path, parent.Path):
		in.out.add(d.Pos(), "", "location \"%s\" is outside location \"%s\"", m.path, parent.Path)
	}
	if key := m.path; ok && !m.regex() {
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
	} else {
		s = &Server{} // what is in there isn't routed
	}
	in.inLocation(d, s, l, m, base)
}

// inLocation reads the inside of a location block.
func (in *interpreter) inLocation(d *Directive, s *Server, l *Location, m matcher, base proxyLevel) {
	defer in.enter(&level{loc: l})()
	ds := d.Children()
	before := seen{}
	good := make([]bool, len(ds))
	var pass *Directive
	for i, c := range ds {
		if good[i] = in.check(c, inLocation, before); !good[i] {
			continue
		}
		switch c.Name.Text {
		case "proxy_pass":
			if in.once(c, before) {
				pass = c
			}
		case "fastcgi_pass", "uwsgi_pass", "scgi_pass", "grpc_pass", "memcached_pass":
			l.proxied = true
		case "internal":
			l.internal = true
		case "try_files":
			l.tries = in.tryFiles(c)
		}
	}
	_, l.page = pageOf(d, in.pages)
	here := in.proxyLevel(ds).over(base)
	here.responses.at(m.path, pass)
	l.settings, l.logs = &here.settings, here.logs.logs()
	if pass != nil {
		l.proxied = true
		l.Pass = in.pass(pass, m, here)
	}
	l.script = in.script(ds, good, s, l, m, here, inLocation)
	if l.Return = firstReturn(l.script); l.Return != nil {
		l.covered, l.Pass = l.Pass, nil
	}
	for i, c := range ds {
		if good[i] && c.Name.Text == "limit_except" {
			in.limit(c, l, m, here)
		}
	}
	if !l.proxied && l.Return == nil && l.tries == nil && !l.page && here.root != nil {
		in.noteHere(here.root, "files are served")
	}
	in.locations(ds, good, s, l, here, inLocation)
}

// firstReturn is the return that a level always comes to, nil for none.
func firstReturn(script []code) *Return {
	for i := range script {
		switch script[i].op {
		case opReturn:
			return script[i].reply
		case opIf, opRewrite, opBreak:
			return nil
		}
	}
	return nil
}

func (in *interpreter) returns(d *Directive) *Return {
	code := number(d.Arg(0))
	if code < 0 && len(d.Args) == 1 {
		for _, p := range []string{"http://", "https://", "$scheme"} {
			if strings.HasPrefix(d.Arg(0), p) {
				return &Return{302, d.Arg(0)}
			}
		}
	}
	if code < 0 || code > 999 {
		in.out.add(d.ArgPos(0), missingSemicolon(d), "invalid return code \"%s\"", d.Arg(0))
		return nil
	}
	if code < 200 {
		in.nginxOnlyArg(d, 0, "it is no status of an answer")
	}
	return &Return{int(code), d.Arg(1)}
}

// header is one proxy_set_header.
type header struct {
	Header
	d *Directive
}

func isConnection(h header) bool { return strings.EqualFold(h.Name, "Connection") }
