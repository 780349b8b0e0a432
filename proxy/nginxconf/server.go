package nginxconf

import (
	"slices"
	"strings"
)

// port is one listen address and who shares it.
type port struct {
	servers []*Server
	// named is true when a server is the default_server, options when one sets
	// socket options.
	named, options bool
}

// server reads a server block.
func (in *interpreter) server(d *Directive, base proxyLevel) {
	s := &Server{own: &Location{Path: "/"}}
	in.cfg.Servers = append(in.cfg.Servers, s)
	defer in.enter(&level{loc: s.own, server: s})()
	ds := d.Children()
	before := seen{}
	good := make([]bool, len(ds))
	for i, c := range ds {
		if good[i] = in.check(c, inServer, before); !good[i] {
			continue
		}
		switch c.Name.Text {
		case "listen":
			in.listen(c, s)
		case "server_name":
			in.serverNames(c, s)
		case "try_files":
			s.own.tries = in.tryFiles(c)
		}
	}
	if len(s.Listens) == 0 {
		s.Listens = []Listen{{Address: defaultListen}}
		in.share(d, s, s.Listens[0], false)
	}
	here := in.proxyLevel(ds).over(base)
	here.serverRealIP = &here.realIP
	s.own.settings, s.own.logs = &here.settings, here.logs.logs()
	s.own.script = in.script(ds, good, s, s.own, matcher{}, here, inServer)
	s.own.Return = firstReturn(s.own.script)
	in.locations(ds, good, s, nil, here, inServer)
	if here.root != nil && s.own.Return == nil && s.own.tries == nil && !slices.ContainsFunc(s.Locations, func(l *Location) bool { return !l.Exact && l.Path == "/" }) {
		in.noteHere(here.root, "files are served where no location matches")
	}
}

// defaultListen is what a server without a listen listens on.
const defaultListen = "80"

// serverNames reads server_name (ngx_http_core_server_name).
func (in *interpreter) serverNames(d *Directive, s *Server) {
	for i, a := range d.Args {
		n := a.Text
		switch {
		case strings.HasPrefix(n, "*") && (len(n) < 3 || n[1] != '.'), n == ".":
			in.out.add(d.ArgPos(i), "a wildcard is *.example.com, .example.com or www.example.*", "server name \"%s\" is invalid", n)
			continue
		case n == "~":
			in.out.add(d.ArgPos(i), "", "empty regex in server name \"%s\"", n)
			continue
		case strings.HasPrefix(n, "~"):
			// With a capital letter in it, case doesn't matter
			// (ngx_http_core_server_name).
			x := in.regex(d, i, n[1:], strings.ToLower(n) != n)
			if x != nil {
				in.makes(x.names)
				s.regexes = append(s.regexes, x)
			}
		default:
			n = strings.ToLower(n)
		}
		s.Names = append(s.Names, n)
	}
}

// listen reads one listen (ngx_http_core_listen).
func (in *interpreter) listen(d *Directive, s *Server) {
	l := Listen{Address: d.Arg(0)}
	if _, err := parseAddress(l.Address, 80, forListen); err != "" {
		in.out.add(d.ArgPos(0), "", "%s in \"%s\" of the \"listen\" directive", err, l.Address)
		s.Listens = append(s.Listens, l)
		return
	}
	options := false
	for _, a := range d.Args[1:] {
		l.Parameters = append(l.Parameters, a.Text)
	}
parameters:
	for i, a := range d.Args[1:] {
		switch why, sets := listenParameter(a.Text); {
		case a.Text == "default_server" || a.Text == "default":
			l.Default = true
		case why != "":
			in.out.add(d.ArgPos(i+1), listenHint(d, a.Text), "%s", why)
			break parameters // nginx stops here too; the rest may be the next line
		case sets:
			options = true
		case a.Text == "http2" && slices.Contains(l.Parameters, "ssl"), a.Text == "ssl":
			// A handshake later a client speaks HTTP/1, as it offers nothing else.
			in.unserved(d, i+1, "clients here speak plain HTTP/1")
		case a.Text == "quic":
			in.unserved(d, i+1, "clients here speak TCP")
			return // there it is another port
		case a.Text == "http2" || a.Text == "proxy_protocol":
			in.nginxOnlyArg(d, i+1, "clients here speak plain HTTP/1")
		}
	}
	s.Listens = append(s.Listens, l)
	in.share(d, s, l, options)
}

// listenParameter returns nginx's message about a wrong parameter, and whether
// a right one sets an option of the socket.
func listenParameter(p string) (why string, sets bool) {
	key, value, has := strings.Cut(p, "=")
	if !has {
		switch p {
		case "default_server", "default", "ssl", "quic", "http2", "proxy_protocol":
			return "", false
		case "bind", "deferred", "reuseport", "multipath":
			return "", true
		}
		return "invalid parameter \"" + p + "\"", false
	}
	ok := true
	switch key {
	case "backlog":
		ok = number(value) > 0
	case "fastopen":
		ok = number(value) >= 0
	case "rcvbuf", "sndbuf":
		ok = size(value, "km") >= 0
	case "ipv6only":
		if value != "on" && value != "off" {
			if strings.HasPrefix(value, "o") {
				return "invalid ipv6only flags \"" + value + "\"", false
			}
			return "invalid parameter \"" + p + "\"", false
		}
	case "so_keepalive":
		if !keepaliveOption(value) {
			return "invalid so_keepalive value: \"" + value + "\"", false
		}
	case "setfib", "accept_filter":
		return "invalid parameter \"" + p + "\"", false
	default:
		return "invalid parameter \"" + p + "\"", false
	}
	if !ok {
		return "invalid " + key + " \"" + p + "\"", false
	}
	return "", true
}

// keepaliveOption is so_keepalive=on|off|[idle]:[interval]:[count].
func keepaliveOption(v string) bool {
	if v == "on" || v == "off" {
		return true
	}
	parts := strings.SplitN(v, ":", 3)
	set := false
	for i, p := range parts {
		if p == "" {
			continue
		}
		if i == 2 {
			n := number(p)
			if n < 0 {
				return false
			}
			set = set || n > 0
			continue
		}
		t, ok := duration(p, seconds)
		if !ok {
			return false
		}
		set = set || t > 0
	}
	return set
}

func listenHint(d *Directive, p string) string {
	if h := missingSemicolon(d); h != "" {
		return h
	}
	return suggest(p, []string{"default_server", "reuseport", "proxy_protocol", "ssl", "http2", "deferred", "bind"})
}

// share puts a server on its listen address, next to others that have the same.
func (in *interpreter) share(d *Directive, s *Server, l Listen, options bool) {
	at := canonicalListen(l.Address)
	p := in.ports[at]
	if p == nil {
		p = &port{}
		in.ports[at] = p
	}
	switch {
	case slices.Contains(p.servers, s):
		in.out.add(d.ArgPos(0), "", "a duplicate listen %s", at)
	case options && p.options:
		in.out.add(d.ArgPos(0), "", "duplicate listen options for %s", at)
	case l.Default && p.named:
		in.out.add(d.ArgPos(0), "", "a duplicate default server for %s", at)
	}
	p.servers = append(p.servers, s)
	p.named = p.named || l.Default
	p.options = p.options || options
}
