package nginxconf

import (
	"strings"

	"github.com/nolive/nolive/proxy/upstream"
	"github.com/nolive/nolive/proxy/variable"
)

// code is one directive of the rewrite module. nginx compiles all of a level,
// the insides of its ifs too, into one list and runs it in order
// (ngx_http_rewrite_handler); here an if holds its part.
type code struct {
	op op
	// name is the variable that set sets.
	name  string
	value variable.Template
	cond  *condition
	body  []code
	// block is what holds for the request from a true if on; nil at server level.
	block   *Location
	reply   *Return
	text    variable.Template
	rewrite *rewrite
}

type op uint8

const (
	opSet op = iota
	opIf
	opReturn
	opRewrite
	opBreak
)

// rewrite is `rewrite regex replacement [flag]`.
type rewrite struct {
	regex *Regex
	// to is the replacement's path, args what follows its "?".
	to, args variable.Template
	hasArgs  bool
	// addArgs is false for a replacement that ends with "?".
	addArgs bool
	// status is that of a redirect, 0 for none.
	status int
	// last ends the list; brk keeps the location.
	last, brk bool
}

// script compiles the rewrite directives of a level. l is the location they
// are in, the server's own level included.
func (in *interpreter) script(ds []*Directive, good []bool, s *Server, l *Location, m matcher, here proxyLevel, where context) []code {
	var out []code
	for i, d := range ds {
		if !good[i] {
			continue
		}
		switch d.Name.Text {
		case "return":
			if r := in.returns(d); r != nil {
				n := len(d.Args) - 1
				if t, ok := in.template(d, n, r.Text); ok {
					out = append(out, code{op: opReturn, reply: r, text: t})
				}
			}
		case "set":
			out = append(out, in.set(d)...)
		case "break":
			out = append(out, code{op: opBreak})
		case "rewrite":
			out = append(out, in.rewrites(d)...)
		case "if":
			c := code{op: opIf, cond: in.condition(d)}
			inner := inServerIf
			if where&(inServer|inServerIf) == 0 {
				inner = inLocationIf
			}
			block := &Location{Path: l.Path, parent: l.parent, outer: l}
			c.body = in.ifBlock(d, s, block, l, m, here, inner)
			if inner == inLocationIf {
				c.block = block
			}
			if c.cond != nil {
				out = append(out, c)
			}
		}
	}
	return out
}

// ifBlock reads the inside of an if: a location of its own that inherits from
// the one it is in, its proxy_pass too (ngx_http_proxy_merge_loc_conf).
func (in *interpreter) ifBlock(d *Directive, s *Server, block, outer *Location, m matcher, base proxyLevel, where context) []code {
	if where == inLocationIf {
		defer in.enter(&level{loc: block})()
	} // the server's own settings hold inside of its ifs
	ds := d.Children()
	before := seen{}
	good := make([]bool, len(ds))
	var pass *Directive
	for i, c := range ds {
		if good[i] = in.check(c, where, before); good[i] && c.Name.Text == "proxy_pass" && in.once(c, before) {
			pass = c
		}
	}
	here := in.proxyLevel(ds).over(base)
	here.responses.at(m.path, pass)
	block.settings, block.logs = &here.settings, here.logs.logs()
	in.passes(block, pass, outer, matcher{"if", m.path}, here)
	return in.script(ds, good, s, block, matcher{"if", m.path}, here, where)
}

// passes gives a block inside a location its proxy_pass: its own or the
// location's, with what holds inside the block.
func (in *interpreter) passes(block *Location, pass *Directive, outer *Location, m matcher, here proxyLevel) {
	switch {
	case pass != nil:
		block.Pass = in.pass(pass, m, here)
	case outer.target() != nil:
		p := *outer.target()
		block.Pass = &p
		p.take(here, in.keeps(here, p.Upstream))
		if p.dynamic != nil {
			block.Pass.to = map[*upstream.Config]*Pass{}
			in.later = append(in.later, pending{block.Pass, here, in.here})
		}
	}
}

// set reads `set $name value` (ngx_http_rewrite_set).
func (in *interpreter) set(d *Directive) []code {
	name, ok := strings.CutPrefix(d.Arg(0), "$")
	if !ok || name == "" {
		in.out.add(d.ArgPos(0), "it starts with $", "invalid variable name \"%s\"", d.Arg(0))
		return nil
	}
	name = strings.ToLower(name)
	if fixed(name) {
		in.out.add(d.ArgPos(0), "nginx sets it itself", "the duplicate \"%s\" variable", name)
		return nil
	}
	t, ok := in.template(d, 1, d.Arg(1))
	if !ok {
		return nil
	}
	in.sets(name, t)
	if in.cfg.set == nil {
		in.cfg.set = map[string]bool{}
	}
	in.cfg.set[name] = true
	return []code{{op: opSet, name: name, value: t}}
}

// rewrites reads one rewrite (ngx_http_rewrite).
func (in *interpreter) rewrites(d *Directive) []code {
	to := d.Arg(1)
	if to == "" {
		in.out.add(d.ArgPos(1), "", "empty replacement")
		return nil
	}
	r := &rewrite{addArgs: true}
	if cut, ok := strings.CutSuffix(to, "?"); ok {
		to, r.addArgs = cut, false
	}
	for _, p := range []string{"http://", "https://", "$scheme"} {
		if strings.HasPrefix(to, p) {
			r.status, r.last = 302, true
		}
	}
	if len(d.Args) == 3 {
		r.last = true
		switch d.Arg(2) {
		case "last":
		case "break":
			r.brk = true
		case "redirect":
			r.status = 302
		case "permanent":
			r.status = 301
		default:
			in.out.add(d.ArgPos(2), missingSemicolon(d), "invalid parameter \"%s\"", d.Arg(2))
			return nil
		}
	}
	if r.regex = in.regex(d, 0, d.Arg(0), false); r.regex == nil {
		return nil
	}
	in.makes(r.regex.names)
	path, args := to, ""
	if r.status == 0 {
		// Captures behind the first "?" are escaped (ngx_http_script_add_args_code).
		path, args, r.hasArgs = strings.Cut(to, "?")
	} else {
		r.hasArgs = strings.Contains(to, "?")
	}
	var ok1, ok2 bool
	r.to, ok1 = in.template(d, 1, path)
	r.args, ok2 = in.template(d, 1, args)
	if !ok1 || !ok2 {
		return nil
	}
	if r.status == 0 {
		in.decides(d, 1, r.to.Names())
	}
	return []code{{op: opRewrite, rewrite: r}}
}
