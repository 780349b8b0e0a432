package nginxconf

import (
	"slices"
	"strings"
)

// except is a limit_except: another configuration for all methods but some.
type except struct {
	methods methods
	block   *Location
}

// methods is a set of methods as nginx knows them.
type methods []string

// excludes says whether a method is none of the set. HEAD goes with GET, and a
// method that nginx has no name for is always excluded.
func (m methods) excludes(method string) bool {
	return !slices.Contains(m, method) && !(method == "HEAD" && slices.Contains(m, "GET"))
}

// knownMethods are ngx_methods_names.
var knownMethods = []string{"GET", "HEAD", "POST", "PUT", "DELETE", "MKCOL", "COPY", "MOVE", "OPTIONS", "PROPFIND", "PROPPATCH", "LOCK", "UNLOCK", "PATCH"}

// limit reads a limit_except (ngx_http_core_limit_except).
func (in *interpreter) limit(d *Directive, l *Location, m matcher, base proxyLevel) {
	if l.except != nil {
		in.out.add(d.Pos(), "", "\"limit_except\" directive is duplicate")
		return
	}
	e := &except{block: &Location{Path: l.Path, parent: l.parent, outer: l}}
	for i := range d.Args {
		name := strings.ToUpper(d.Arg(i))
		if !slices.Contains(knownMethods, name) {
			in.out.add(d.ArgPos(i), "", "invalid method \"%s\"", d.Arg(i))
			return
		}
		e.methods = append(e.methods, name)
	}
	defer in.enter(&level{loc: e.block})()
	ds := d.Children()
	before := seen{}
	var pass *Directive
	for _, c := range ds {
		if c.Name.Text == "deny" && c.Arg(0) == "all" && len(ds) == 1 && !c.Broken && c.Block == nil && len(c.Args) == 1 {
			e.block.denied = true
			continue
		}
		if in.check(c, inLimitExcept, before) && c.Name.Text == "proxy_pass" && in.once(c, before) {
			pass = c
		}
	}
	here := in.proxyLevel(ds).over(base)
	e.block.settings, e.block.logs = &here.settings, here.logs.logs()
	in.passes(e.block, pass, l, matcher{"if", m.path}, here)
	l.except = e
}
