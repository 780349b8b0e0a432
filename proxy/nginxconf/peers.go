package nginxconf

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// deadEnd is what a proxy_pass with variables comes to where the configuration
// doesn't say who is meant: nobody listens there, and no request leaves the
// machine.
const deadEnd = "127.0.0.1:1"

// longKey is from where on a key may not fit nginx's map_hash_bucket_size.
const longKey = 32

// peerMaps makes the maps that replace addresses in variables: nginx looks up
// what the host part of such a proxy_pass comes to and gets the address that
// stands for it. Which argument replaces the user's is in e.peers.
func (e *emitter) peerMaps(ds []*Directive) string {
	var b strings.Builder
	long := false
	blocks := blockNames(ds)
	o := originsOf(ds)
	hosts := append(literalHosts(ds, blocks), possibleHosts(ds, blocks)...)
	eachPass(ds, func(d *Directive) {
		scheme, host, rest := splitPass(d.Arg(0))
		if intoSocket(d.Arg(0)) && e.err == nil {
			e.err = fmt.Errorf("%s: a unix socket in a proxy_pass with variables has no stand-in", d.ArgPos(0))
		}
		variable := "$nolive_peer_" + strconv.Itoa(len(e.peers))
		if e.peers == nil {
			e.peers = map[*Directive]string{}
		}
		// In braces: what follows may go on like a name.
		e.peers[d] = scheme + "${" + variable[1:] + "}" + rest
		prefix := ""
		if scheme == "" {
			prefix = "http://"
		}
		fmt.Fprintf(&b, "map %s %s { volatile; default %s;", word(host), variable, prefix+deadEnd)
		var had []string
		add := func(key, value string) {
			if lower := strings.ToLower(key); !slices.Contains(had, lower) {
				had = append(had, lower)
				long = long || len(key) > longKey
				fmt.Fprintf(&b, " %s %s;", word(mapKey(key)), word(value))
			}
		}
		for _, n := range sortedKeys(blocks) {
			add(prefix+n, prefix+n)
		}
		for _, n := range hosts {
			add(prefix+n, prefix+e.standIn(d, n))
		}
		for _, v := range o.values(host, 0) {
			n, tail, ok := cutHost("http://" + strings.TrimPrefix(v, prefix))
			if !ok || tail == "" {
				continue
			}
			to := n
			if !blocks[strings.ToLower(n)] {
				to = e.standIn(d, n)
			}
			if !strings.Contains(tail, unknownText) {
				add(prefix+n+tail, prefix+to+tail)
				continue
			}
			fmt.Fprintf(&b, " %s %s;", word("~*^"+quoteRegex(prefix+n)+"(?<nolive_tail>[/?].*)$"), word(prefix+to+"$nolive_tail"))
		}
		b.WriteString(" }\n")
	})
	own := slices.ContainsFunc(ds, func(d *Directive) bool { return d.Name.Text == "map_hash_bucket_size" })
	if long && !own {
		b.WriteString("map_hash_bucket_size 512;\n")
	}
	return b.String()
}

// standIn is the address that stands for a backend.
func (e *emitter) standIn(d *Directive, name string) string {
	if to, ok := e.opt.Backends[name]; ok {
		return to
	}
	if a, err := parseAddress(name, 80, forPass); err == "" {
		if to, ok := e.backends[a.canonical()]; ok {
			return to
		}
	}
	if e.err == nil {
		e.err = fmt.Errorf("%s: backend %q: no address given", d.ArgPos(0), name)
	}
	return deadEnd
}

// intoSocket says whether a proxy_pass with variables is to a unix socket.
func intoSocket(arg string) bool {
	_, host, ok := strings.Cut(arg, "://")
	return ok && strings.HasPrefix(host, "unix:")
}

// splitPass takes the argument of a proxy_pass with variables apart: the scheme
// with its "://", the part that is the host, and what follows. Without a scheme
// of its own all of it is the host part.
func splitPass(arg string) (scheme, host, rest string) {
	for _, s := range []string{"http://", "$scheme://", "${scheme}://"} {
		if len(arg) > len(s) && strings.EqualFold(arg[:len(s)], s) {
			scheme, arg = arg[:len(s)], arg[len(s):]
			break
		}
	}
	if scheme == "" {
		return "", arg, ""
	}
	for i := 0; i < len(arg); i++ {
		switch arg[i] {
		case '/', '?':
			return scheme, arg[:i], arg[i:]
		case '$':
			name, after := cutVariable(arg[i+1:])
			switch strings.ToLower(name) {
			case "request_uri", "uri", "document_uri", "is_args":
				return scheme, arg[:i], arg[i:]
			}
			i = len(arg) - len(after) - 1
		}
	}
	return scheme, arg, ""
}

// literalHosts are the hosts of the proxy_passes without variables in it that
// are no upstream block.
func literalHosts(ds []*Directive, blocks map[string]bool) []string {
	var out []string
	var walk func([]*Directive, context)
	walk = func(ds []*Directive, in context) {
		for _, d := range ds {
			if d.Block != nil {
				walk(d.Children(), contextOf(d, in))
				continue
			}
			if d.Name.Text != "proxy_pass" {
				continue
			}
			if s, ok := slotOf(d, in, httpPart, blocks); ok && !slices.Contains(out, s.name) && !strings.HasPrefix(s.name, "unix:") {
				out = append(out, s.name)
			}
		}
	}
	walk(ds, inHTTP)
	return out
}

// mapKey writes a map's key that is no word of its own.
func mapKey(s string) string {
	switch s {
	case "default", "hostnames", "include", "volatile":
		return `\` + s
	}
	if s[0] == '~' || s[0] == '\\' {
		return `\` + s
	}
	return s
}

func quoteRegex(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if strings.IndexByte(`\.+*?()|[]{}^$`, s[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func sortedKeys(m map[string]bool) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
