package nginxconf

import (
	"strings"

	"github.com/nolive/nolive/proxy/variable"
)

// mapping is a map block.
type mapping struct {
	source  variable.Template
	exact   map[string]variable.Template // by value in lower case
	regexes []mapRegex
	other   variable.Template // default
	// volatile is true for one that is looked up every time.
	volatile bool
}

type mapRegex struct {
	regex *Regex
	value variable.Template
}

// mapping reads a map (ngx_http_map_block).
func (in *interpreter) mapping(d *Directive) {
	if len(d.Args) != 2 {
		return
	}
	name, ok := strings.CutPrefix(d.Arg(1), "$")
	if !ok || name == "" {
		in.out.add(d.ArgPos(1), "it starts with $", "invalid variable name \"%s\"", d.Arg(1))
		return
	}
	name = strings.ToLower(name)
	source, ok := in.template(d, 0, d.Arg(0))
	if !ok {
		return
	}
	defer in.enter(&level{variable: name})()
	m := &mapping{source: source, exact: map[string]variable.Template{}}
	in.sets(name, source)
	in.cfg.maps[name] = m
	for _, c := range d.Children() {
		if c.Block != nil || c.Broken || len(c.Args) != 1 {
			continue
		}
		key := c.Name.Text
		value, ok := in.template(c, 0, c.Arg(0))
		if !ok {
			continue
		}
		in.sets(name, value)
		quoted := c.Name.Span.End-c.Name.Span.Start != len(key)
		switch {
		case key == "include" && !quoted:
			in.nginxOnly(c, "its file isn't read")
		case key == "default":
			m.other = value
		case strings.HasPrefix(key, "~"):
			pattern, caseless := strings.CutPrefix(key[1:], "*")
			x, err := compileRegex(pattern, caseless)
			if err != nil {
				in.nginxOnly(c, "its regular expression needs PCRE ("+err.Error()+")")
				continue
			}
			in.makes(x.names)
			m.regexes = append(m.regexes, mapRegex{x, value})
		default:
			m.exact[strings.ToLower(strings.TrimPrefix(key, `\`))] = value
		}
	}
	for _, c := range d.Children() {
		switch {
		case len(c.Args) != 0:
		case c.Name.Text == "volatile":
			m.volatile = true
		case c.Name.Text == "hostnames":
			in.notKnown(name, d)
		}
	}
}

// madeElsewhere notes the variable of a geo or a split_clients.
func (in *interpreter) madeElsewhere(d *Directive) {
	name, ok := strings.CutPrefix(d.Arg(len(d.Args)-1), "$")
	if ok && len(d.Args) > 0 {
		in.notKnown(strings.ToLower(name), d)
	}
}

// notKnown makes a variable one that only nginx knows.
func (in *interpreter) notKnown(name string, d *Directive) {
	in.made[name] = append(in.made[name], variable.Template{})
	in.elsewhere[name] = d.Name.Text
}

// value is what the map makes of a request. Its groups become $1 to $9 for
// whoever asked (ngx_http_map_find).
func (m *mapping) value(w *Way) string {
	v := m.source.Value(w.facts)
	if t, ok := m.exact[strings.ToLower(v)]; ok {
		return t.Value(w.facts)
	}
	for _, r := range m.regexes {
		if groups := r.regex.match(v); groups != nil {
			w.matched(r.regex, groups)
			return r.value.Value(w.facts)
		}
	}
	return m.other.Value(w.facts)
}
