package nginxconf

import (
	"net/netip"
	"strconv"
	"strings"
)

// address is what nginx's ngx_parse_url makes out of "host:port/uri".
type address struct {
	host string // lower case; a unix socket's path
	port int
	last int // end of a port range
	// noPort is true when the port is the default one.
	noPort bool
	unix   bool
	// text is the part before the URI as written, uri the rest.
	text, uri string
}

// use says what an address is for: it decides about ranges, "*" and URIs.
type use uint8

const (
	forServer use = iota // `server` of an upstream
	forListen
	forPass // proxy_pass: may have a URI
)

// parseAddress returns the address, or nginx's message.
func parseAddress(s string, port int, u use) (a address, err string) {
	switch {
	case len(s) >= 5 && strings.EqualFold(s[:5], "unix:"):
		return parseUnix(s, u)
	case strings.HasPrefix(s, "["):
		return parseInet6(s, port, u)
	}
	return parseInet(s, port, u)
}

func parseUnix(s string, u use) (address, string) {
	a := address{unix: true, text: s, host: s[5:]}
	if u == forPass {
		if i := strings.IndexByte(a.host, ':'); i >= 0 {
			a.text, a.uri, a.host = s[:5+i], a.host[i+1:], a.host[:i]
		}
	}
	switch {
	case a.host == "":
		return a, "no path in the unix domain socket"
	case len(a.host) > 107:
		return a, "too long path in the unix domain socket"
	}
	return a, ""
}

func parseInet(s string, port int, u use) (address, string) {
	a := address{text: s, port: port}
	if i := strings.IndexAny(s, "/?"); i >= 0 {
		if u != forPass {
			return a, "invalid host"
		}
		a.text, a.uri = s[:i], s[i:]
	}
	a.host = strings.ToLower(a.text)
	colon := strings.IndexByte(a.text, ':')
	switch {
	case colon >= 0:
		a.host = a.host[:colon]
		if err := a.ports(a.text[colon+1:], u); err != "" {
			return a, err
		}
	case u == forListen && number(strings.ReplaceAll(a.text, "-", "")) >= 0 && a.text[0] != '-':
		a.host = "*" // a port alone
		return a, a.ports(a.text, u)
	default:
		a.noPort = true
	}
	if a.host == "" {
		return a, "no host"
	}
	return a, ""
}

func parseInet6(s string, port int, u use) (address, string) {
	a := address{text: s, port: port}
	end := strings.IndexByte(s, ']')
	if end < 0 {
		return a, "invalid host"
	}
	if i := strings.IndexByte(s[end:], '/'); i >= 0 {
		if u != forPass {
			return a, "invalid host"
		}
		a.text, a.uri = s[:end+i], s[end+i:]
	}
	a.host = strings.ToLower(a.text[:end+1])
	switch rest := a.text[end+1:]; {
	case rest == "":
		a.noPort = true
	case rest[0] != ':':
		return a, "invalid host"
	default:
		if err := a.ports(rest[1:], u); err != "" {
			return a, err
		}
	}
	if end == 1 {
		return a, "no host"
	}
	ip, err := netip.ParseAddr(a.host[1:end])
	if err != nil || !ip.Is6() || ip.Zone() != "" {
		return a, "invalid IPv6 address"
	}
	a.host = "[" + ip.String() + "]"
	return a, ""
}

// ports reads "80" or, for a listen, "8000-8010".
func (a *address) ports(s string, u use) string {
	first, last, isRange := s, "", false
	if u == forListen {
		first, last, isRange = strings.Cut(s, "-")
	}
	port := number(first)
	end := number(last)
	switch {
	case isRange && (end < 1 || end > 65535), port < 1 || port > 65535:
		return "invalid port"
	case isRange && port > end:
		return "invalid port range"
	}
	a.port = int(port)
	if isRange {
		a.last = int(end)
	}
	return ""
}

// canonical is one spelling for all ways to write the same address:
// "0.0.0.0:80" for "80" and "*:80".
func (a address) canonical() string {
	if a.unix {
		return "unix:" + a.host
	}
	host := a.host
	if host == "*" {
		host = "0.0.0.0"
	}
	out := host + ":" + strconv.Itoa(a.port)
	if a.last > a.port {
		out += "-" + strconv.Itoa(a.last)
	}
	return out
}

// canonicalListen is the canonical form of a listen address as written.
func canonicalListen(s string) string {
	a, err := parseAddress(s, 80, forListen)
	if err != "" {
		return s
	}
	return a.canonical()
}

// literal is the constant host of a *_pass argument.
type literal struct {
	address
	scheme string // "http://", "" for a module that has none
	port   int    // the scheme's default
}

// passSchemes are the URL schemes of each module's pass directive, with the
// default port; "" is no scheme.
var passSchemes = map[string][]struct {
	prefix string
	port   int
}{
	"proxy_pass":     {{"http://", 80}, {"https://", 443}},
	"grpc_pass":      {{"grpc://", 80}, {"grpcs://", 443}, {"", 80}},
	"uwsgi_pass":     {{"uwsgi://", 80}, {"suwsgi://", 443}, {"", 80}},
	"fastcgi_pass":   {{"", 80}},
	"scgi_pass":      {{"", 80}},
	"memcached_pass": {{"", 80}},
}

// passLiteral returns the constant host of a pass directive's argument; false
// when it depends on a variable, or is no URL at all. A variable in the URI
// leaves the host constant.
func passLiteral(directive, arg string) (literal, bool) {
	for _, s := range passSchemes[directive] {
		if len(arg) < len(s.prefix) || !strings.EqualFold(arg[:len(s.prefix)], s.prefix) {
			continue
		}
		rest := arg[len(s.prefix):]
		if i := strings.IndexByte(rest, '$'); i >= 0 {
			head := rest[:i]
			if !strings.ContainsAny(head, "/?") && !strings.HasPrefix(rest[i:], "$request_uri") && !strings.HasPrefix(rest[i:], "$uri") {
				return literal{}, false
			}
			if strings.HasPrefix(head, "unix:") {
				return literal{}, false
			}
			rest = head
		}
		a, err := parseAddress(rest, s.port, forPass)
		if err != "" || a.host == "" {
			return literal{}, false
		}
		return literal{a, arg[:len(s.prefix)], s.port}, true
	}
	return literal{}, false
}
