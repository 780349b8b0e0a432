package nginxconf

import (
	"slices"
	"strings"
)

// A proxy_pass with variables may come to any address, but in practice to one
// that the configuration writes somewhere: in a set, or in a map. Those are
// backends too.

// unknownText stands for what depends on the request.
const unknownText = "\x00"

// Limits of what is tried: a text of many variables with many values each.
const (
	maxValues  = 256
	maxNesting = 8
)

// origins are the texts that a configuration gives its variables.
type origins map[string][]string

// originsOf finds all sets and maps.
func originsOf(ds []*Directive) origins {
	o := origins{}
	var walk func([]*Directive)
	walk = func(ds []*Directive) {
		for _, d := range ds {
			switch {
			case d.Name.Text == "set" && len(d.Args) == 2 && d.Block == nil:
				o.add(d.Arg(0), d.Arg(1))
			case d.Name.Text == "map" && len(d.Args) == 2:
				for _, c := range d.Children() {
					if len(c.Args) == 1 && c.Block == nil {
						o.add(d.Arg(1), c.Arg(0))
					}
				}
			default:
				walk(d.Children())
			}
		}
	}
	walk(ds)
	return o
}

func (o origins) add(name, text string) {
	if name = strings.ToLower(strings.TrimPrefix(name, "$")); !slices.Contains(o[name], text) {
		o[name] = append(o[name], text)
	}
}

// values are the texts that a text with variables may come to, with unknownText
// in the place of what isn't known.
func (o origins) values(text string, depth int) []string {
	out := []string{""}
	for rest := text; rest != ""; {
		head, after, found := strings.Cut(rest, "$")
		out = product(out, []string{head})
		if !found {
			break
		}
		name, next := cutVariable(after)
		if name == "" {
			return product(out, []string{unknownText})
		}
		rest = next
		out = product(out, o.variable(strings.ToLower(name), depth))
	}
	return out
}

func (o origins) variable(name string, depth int) []string {
	switch name {
	case "request_uri", "uri", "document_uri":
		return []string{"/" + unknownText}
	case "is_args":
		return []string{"?" + unknownText}
	case "scheme":
		return []string{"http"}
	}
	if o[name] == nil || depth >= maxNesting {
		return []string{unknownText}
	}
	var out []string
	for _, text := range o[name] {
		for _, v := range o.values(text, depth+1) {
			if !slices.Contains(out, v) && len(out) < maxValues {
				out = append(out, v)
			}
		}
	}
	return out
}

func product(left, right []string) []string {
	var out []string
	for _, l := range left {
		for _, r := range right {
			if len(out) < maxValues {
				out = append(out, l+r)
			}
		}
	}
	return out
}

// cutVariable splits a variable's name off what follows a "$".
func cutVariable(s string) (name, rest string) {
	t, braced := strings.CutPrefix(s, "{")
	n := 0
	for n < len(t) && (t[n] == '_' || t[n] >= '0' && t[n] <= '9' || t[n]|0x20 >= 'a' && t[n]|0x20 <= 'z') {
		n++
	}
	if !braced && n > 0 && t[0] >= '1' && t[0] <= '9' {
		n = 1
	}
	name, rest = t[:n], t[n:]
	if braced {
		rest = strings.TrimPrefix(rest, "}")
	}
	return name, rest
}

// possibleHosts are the hosts, with ports as written, that proxy_passes with
// variables may come to and that are no upstream block.
func possibleHosts(ds []*Directive, blocks map[string]bool) []string {
	o := originsOf(ds)
	var out []string
	eachPass(ds, func(d *Directive) {
		for _, v := range o.values(d.Arg(0), 0) {
			host, _, ok := cutHost(v)
			if ok && host != deadEnd && !blocks[strings.ToLower(host)] && !slices.Contains(out, host) {
				out = append(out, host)
			}
		}
	})
	return out
}

// eachPass calls f for every proxy_pass whose host depends on variables.
func eachPass(ds []*Directive, f func(*Directive)) {
	for _, d := range ds {
		switch {
		case d.Block != nil:
			eachPass(d.Children(), f)
		case varies(d):
			f(d)
		}
	}
}

// varies says whether d is a proxy_pass whose host depends on variables.
func varies(d *Directive) bool {
	if d.Name.Text != "proxy_pass" || len(d.Args) != 1 || !strings.Contains(d.Arg(0), "$") {
		return false
	}
	_, literal := passLiteral("proxy_pass", d.Arg(0))
	return !literal
}

// cutHost takes the host and port of a URL, and what follows; false when they
// aren't known.
func cutHost(url string) (host, rest string, ok bool) {
	if len(url) < len("http://") || !strings.EqualFold(url[:len("http://")], "http://") {
		return "", "", false
	}
	host = url[len("http://"):]
	if i := strings.IndexAny(host, "/?"); i >= 0 {
		host, rest = host[:i], host[i:]
	}
	return host, rest, host != "" && !strings.Contains(host, unknownText)
}
