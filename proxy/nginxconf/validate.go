package nginxconf

import (
	"slices"
	"strings"
)

// checker applies to one level's directives what nginx checks before a
// directive is looked at for its meaning: name, context, form, number of
// arguments, value, duplicates (ngx_conf_handler and the ngx_conf_set_* slots).
type checker struct {
	out *problems
	cfg *Config
	// thirdParty is true when modules are loaded: unknown names may be theirs.
	thirdParty bool
	levels
}

// seen holds the directives that were at one level already.
type seen map[string]bool

// check says whether d may be interpreted in this context, and notes what it
// means there.
func (c *checker) check(d *Directive, in context, before seen) bool {
	name := d.Name.Text
	if name == "" && d.Name.Span.Start == d.Name.Span.End {
		return false // a "{" without a name, said by the parser
	}
	c.stands(d)
	s, here, known := find(name, in)
	hint, newer := c.tooNew(httpSince, name)
	switch {
	case known && newer && in&(inUpstream|inStreamUpstream) == 0:
		c.out.add(d.Pos(), hint, "unknown directive \"%s\"", name)
		return false
	case !known && c.thirdParty:
		c.nginxOnly(d, "it may belong to a loaded module")
		return false
	case !known:
		c.out.add(d.Pos(), unknownHint(d, in), "unknown directive \"%s\"", name)
		return false
	case !here:
		all := directives().byName[name]
		var where context
		for _, s := range all {
			where |= s.in
		}
		c.out.add(d.Pos(), "it belongs in "+where.String(), "\"%s\" directive is not allowed here", name)
		return false
	case d.Broken && d.Block == nil:
		return false // the parser said what is missing
	case s.block && d.Block == nil:
		c.out.add(d.Pos(), "", "directive \"%s\" has no opening \"{\"", name)
		return false
	case !s.block && d.Block != nil:
		c.out.add(d.Pos(), missingSemicolon(d), "directive \"%s\" is not terminated by \";\"", name)
		return false
	case !s.takes(len(d.Args)):
		c.out.add(d.Pos(), argsHint(d, s), "invalid number of arguments in \"%s\" directive", name)
		return false
	case !c.value(d, s, before):
		return false
	}
	switch s.means(d) {
	case nginxOnly:
		c.nginxOnly(d, s.reason)
	case ignored:
		c.ignore(d)
	}
	return true
}

// nginxOnly notes that only a real nginx can do what d says.
func (c *checker) nginxOnly(d *Directive, reason string) {
	c.note(d, d.Pos(), reason)
}

// nginxOnlyArg notes that only a real nginx can do what an argument says.
func (c *checker) nginxOnlyArg(d *Directive, i int, reason string) {
	c.note(d, d.ArgPos(i), reason)
}

func (c *checker) note(d *Directive, pos Pos, reason string) {
	c.noteAt(c.levelOf(d), d, pos, reason)
}

// noteAt is note for what matters at another level than the directive's.
func (c *checker) noteAt(l *level, d *Directive, pos Pos, reason string) {
	n := notModelled(d, pos, reason)
	n.level = l
	c.cfg.NginxOnly = append(c.cfg.NginxOnly, n)
}

// noteHere is nginxOnly for what an outer level says and only matters here.
func (c *checker) noteHere(d *Directive, reason string) {
	n := notModelled(d, d.Pos(), reason)
	n.level, n.own = c.here, true
	c.cfg.NginxOnly = append(c.cfg.NginxOnly, n)
}

// unserved notes that a server can't honour what an argument says.
func (c *checker) unserved(d *Directive, i int, reason string) {
	c.cfg.Unserved = append(c.cfg.Unserved, notModelled(d, d.ArgPos(i), reason))
}

func notModelled(d *Directive, pos Pos, reason string) Note {
	words := d.Name.Text
	for _, a := range d.Args {
		words += " " + a.Text
	}
	n := Note{Pos: pos, Text: quoteShort(words) + " isn't modelled: " + reason, name: d.Name.Text}
	if n.name == "listen" {
		n.listen = canonicalListen(d.Arg(0))
	}
	return n
}

// ignore notes a directive that can't matter, once.
func (c *checker) ignore(d *Directive) {
	has := func(n Note) bool { return n.Text == d.Name.Text }
	if !slices.ContainsFunc(c.cfg.Ignored, has) {
		c.cfg.Ignored = append(c.cfg.Ignored, Note{Pos: d.Pos(), Text: d.Name.Text})
	}
}

// value checks the argument as nginx's slot functions do.
func (c *checker) value(d *Directive, s spec, before seen) bool {
	if s.value == "" {
		return true
	}
	if before[d.Name.Text] {
		c.out.add(d.Pos(), "", "\"%s\" directive is duplicate", d.Name.Text)
		return false
	}
	before[d.Name.Text] = true
	v, why := d.Arg(0), ""
	switch s.value {
	case "flag":
		if l := strings.ToLower(v); l != "on" && l != "off" {
			c.out.add(d.ArgPos(0), "", "invalid value \"%s\" in \"%s\" directive, it must be \"on\" or \"off\"", v, d.Name.Text)
			return false
		}
	case "num":
		if number(v) < 0 {
			why = "invalid number"
		}
	case "msec":
		if _, ok := duration(v, milliseconds); !ok {
			why = "invalid value"
		}
	case "sec":
		if _, ok := duration(v, seconds); !ok {
			why = "invalid value"
		}
	case "size":
		if size(v, "km") < 0 {
			why = "invalid value"
		}
	case "off":
		if size(v, "kmg") < 0 {
			why = "invalid value"
		}
	case "bufs":
		if number(v) <= 0 || size(d.Arg(1), "km") <= 0 {
			why = "invalid value"
		}
	}
	if why != "" {
		hint := missingSemicolon(d)
		if hint == "" && strings.HasSuffix(s.value, "sec") {
			hint = timeHint(v)
		}
		c.out.add(d.ArgPos(0), hint, "\"%s\" directive %s", d.Name.Text, why)
	}
	return why == ""
}

// unknownHint says what an unknown name probably is.
func unknownHint(d *Directive, in context) string {
	if strings.HasPrefix(d.Name.Text, "\xef\xbb\xbf") {
		return "the file starts with a byte order mark; save it without"
	}
	if h := suggest(d.Name.Text, namesIn(in)); h != "" {
		return h
	}
	return suggest(d.Name.Text, directives().names)
}

// missingSemicolon is a hint for a directive that swallowed the next line: an
// argument that starts a line and is a directive's name.
func missingSemicolon(d *Directive) string {
	last := d.Name
	for i, a := range d.Args {
		if d.ArgPos(i).Line > d.File.Pos(last.Span.Start).Line {
			if _, _, known := find(a.Text, inAny); known || a.Text == "location" {
				return "\";\" is missing after " + quoteShort(last.Text) + " at " + d.File.place(last.Span.Start)
			}
		}
		last = a
	}
	return ""
}

// argsHint says how many arguments a directive takes.
func argsHint(d *Directive, s spec) string {
	if h := missingSemicolon(d); h != "" {
		return h
	}
	switch s.args {
	case "any":
		return ""
	case "0":
		return "it takes none"
	case "1":
		return "it takes one"
	case "1+":
		return "it takes at least one"
	case "2+":
		return "it takes at least two"
	}
	return "it takes " + strings.Join(strings.Split(s.args, ""), " or ")
}

// timeHint helps with values that other programs would understand.
func timeHint(v string) string {
	if strings.ContainsAny(v, ".") {
		return "nginx knows no fractions; 1500ms"
	}
	return "a time is 90, 90s, 1m30s or 500ms"
}
