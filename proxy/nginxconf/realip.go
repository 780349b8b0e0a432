package nginxconf

import (
	"net/netip"
	"strings"

	"github.com/nolive/nolive/proxy/upstream"
	"github.com/nolive/nolive/proxy/variable"
)

// realIP is what one level says about where a client's address comes from
// (ngx_http_realip_module); nil is "nothing, inherit". The three directives are
// inherited each for itself, and a level's set_real_ip_from lines hide all of the
// level outside.
type realIP struct {
	from      *[]netip.Prefix
	header    *string
	recursive *bool
	version   upstream.Version
}

// over fills what the level leaves open from the level outside of it.
func (r realIP) over(outer realIP) realIP {
	inherit(&r.from, outer.from)
	inherit(&r.header, outer.header)
	inherit(&r.recursive, outer.recursive)
	if r.version.IsZero() {
		r.version = outer.version
	}
	return r
}

// clientRule is a level's word on who a request comes from.
type clientRule struct {
	from      []netip.Prefix
	header    string
	recursive bool
	version   upstream.Version
}

// rule is what the level, filled from those outside, comes to; false without a
// set_real_ip_from.
func (r *realIP) rule() (clientRule, bool) {
	if r == nil || r.from == nil {
		return clientRule{}, false
	}
	out := clientRule{from: *r.from, header: "X-Real-IP", version: r.version}
	if r.header != nil {
		out.header = *r.header
	}
	if r.recursive != nil {
		out.recursive = *r.recursive
	}
	return out, true
}

// clientRules are the levels that say who a request comes from, in nginx's order.
func (l *proxyLevel) clientRules() []clientRule {
	var out []clientRule
	for _, level := range []*realIP{l.serverRealIP, &l.realIP} {
		if r, ok := level.rule(); ok {
			out = append(out, r)
		}
	}
	return out
}

// realIP takes in a directive of the module.
func (in *interpreter) realIP(d *Directive, r *realIP) {
	r.version = in.cfg.Version
	switch d.Name.Text {
	case "set_real_ip_from":
		if r.from == nil {
			r.from = &[]netip.Prefix{}
		}
		if p, ok := in.trusted(d); ok {
			*r.from = append(*r.from, p)
		}
	case "real_ip_header":
		h := d.Arg(0)
		r.header = &h
		if h == "proxy_protocol" {
			in.nginxOnly(d, "clients here speak plain HTTP/1")
		}
		in.byHeader = append(in.byHeader, d)
	case "real_ip_recursive":
		on := strings.EqualFold(d.Arg(0), "on")
		r.recursive = &on
	}
}

// trusted reads set_real_ip_from (ngx_http_realip_from). "unix:" trusts nobody
// who comes over TCP.
func (in *interpreter) trusted(d *Directive) (netip.Prefix, bool) {
	arg := d.Arg(0)
	if arg == "unix:" {
		return netip.Prefix{}, false
	}
	host, bits, masked := strings.Cut(arg, "/")
	a, ok := inetAddr(host)
	if ok && !masked {
		return netip.PrefixFrom(a, a.BitLen()), true
	}
	n := number(bits)
	if !ok || n < 0 || n > int64(a.BitLen()) {
		switch {
		case masked:
			// nginx then takes all of it for a host's name.
			in.out.add(d.ArgPos(0), "an address, a network such as 10.0.0.0/8, or unix:", "host not found in set_real_ip_from \"%s\"", arg)
		default:
			in.nginxOnlyArg(d, 0, "names are looked up when nginx starts")
		}
		return netip.Prefix{}, false
	}
	p := netip.PrefixFrom(a, int(n))
	if p.Masked() != p {
		in.cfg.Warnings = append(in.cfg.Warnings, Note{Pos: d.ArgPos(0), Text: "low address bits of " + arg + " are meaningless"})
	}
	return p.Masked(), true
}

// Client is the address that a request comes from for nginx: the peer's of its
// connection, unless that one is trusted and a header names another.
//
// The module is asked twice: as soon as the head is read, when the server's level
// is all there is, and once the location is known. It changes the address once
// (ngx_http_realip_handler, in NGX_HTTP_POST_READ_PHASE and _PREACCESS_PHASE).
func (p *Pass) Client(peer netip.Addr, header variable.Header) netip.Addr {
	for i := range p.clients {
		if a, ok := p.clients[i].client(peer, header); ok {
			return a
		}
	}
	return peer
}

// Identify notes in a request, whose headers are there, where it comes from. A
// nil Pass trusts nobody.
func (p *Pass) Identify(rq *variable.Request, peer netip.Addr) {
	client := peer
	if p != nil {
		client = p.Client(peer, rq.Header)
	}
	rq.Client = variableAddress(client)
	if client != peer {
		rq.Origin = variableAddress(peer)
	}
}

func variableAddress(a netip.Addr) variable.Address {
	if !a.IsValid() {
		return variable.Address{IP: "unix:"}
	}
	return variable.Address{IP: a.String(), Binary: a.AsSlice()}
}

func (r *clientRule) client(peer netip.Addr, header variable.Header) (netip.Addr, bool) {
	if header == nil {
		return peer, false
	}
	var values []string
	for n, v := range header {
		if headerNamed(string(n), r.header) {
			values = append(values, strings.Trim(string(v), " "))
		}
	}
	switch {
	case len(values) == 0:
		return peer, false
	case r.header != "X-Forwarded-For":
		// Of a header that is repeated the first counts; the last one of
		// X-Forwarded-For, and those before it when it is recursive.
		values = values[:1]
	}
	found := false
	for i := len(values) - 1; i >= 0; i-- {
		var how walk
		peer, how = r.walk(peer, values[i])
		found = found || how != declined
		if how != walked || !r.recursive {
			break
		}
	}
	return peer, found
}

// walk says how a walk through one header ended.
type walk uint8

const (
	declined walk = iota // nothing was changed
	walked               // all of the header was used
	stopped              // at an address that isn't trusted, or is none
)

// walk goes through one header's addresses from the last one on, as long as the
// present address is trusted (ngx_http_get_forwarded_addr_internal).
func (r *clientRule) walk(peer netip.Addr, value string) (netip.Addr, walk) {
	found := declined
	for {
		if !r.trusts(peer) {
			return peer, found
		}
		end := len(value)
		for end > 1 && (value[end-1] == ' ' || value[end-1] == ',') {
			end--
		}
		// nginx doesn't look at the first byte: if it is a comma, no address follows.
		start := 0
		if end > 0 {
			if i := strings.LastIndexAny(value[1:end], " ,"); i >= 0 {
				start = i + 2
			}
		}
		a, ok := r.address(value[start:end])
		if !ok {
			return peer, found
		}
		peer, found = a, stopped
		if start == 0 || !r.recursive {
			return peer, walked
		}
		value = value[:start-1]
	}
}

// trusts says whether the address is one of set_real_ip_from (ngx_cidr_match).
func (r *clientRule) trusts(a netip.Addr) bool {
	a = a.Unmap()
	for _, p := range r.from {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

// headerNamed says whether a header of a request has a name that a directive
// writes. One with an underscore isn't valid for nginx, so it has none.
func headerNamed(header, name string) bool {
	return strings.EqualFold(header, name) && !strings.Contains(header, "_")
}

// address is an address, with or without a port (ngx_parse_addr_port).
func (r *clientRule) address(s string) (netip.Addr, bool) {
	if a, ok := inetAddr(s); ok || !r.version.TakesForwardedPorts() {
		return a, ok
	}
	if n := len(s) - 1; n > 0 && s[0] == '[' && s[n] == ']' && r.version.TakesForwardedBrackets() {
		return inetAddr(s[1:n])
	}
	host, port := s, ""
	if strings.HasPrefix(s, "[") {
		var closed bool
		if host, port, closed = strings.Cut(s[1:], "]"); !closed || !strings.HasPrefix(port, ":") {
			return netip.Addr{}, false
		}
		port = port[1:]
	} else {
		var colon bool
		if host, port, colon = strings.Cut(s, ":"); !colon {
			return netip.Addr{}, false
		}
	}
	if n := number(port); n < 1 || n > 65535 {
		return netip.Addr{}, false
	}
	return inetAddr(host)
}

// inetAddr reads an address as nginx does: leading zeros of an octet and an octet
// without digits are allowed, 255.255.255.255 isn't (ngx_inet_addr).
func inetAddr(s string) (netip.Addr, bool) {
	if a, ok := inet4Addr(s); ok {
		return a, true
	}
	a, err := netip.ParseAddr(s)
	return a, err == nil && a.Is6() && a.Zone() == ""
}

func inet4Addr(s string) (netip.Addr, bool) {
	var b [4]byte
	octet, n := 0, 0
	for _, c := range []byte(s) {
		switch {
		case c >= '0' && c <= '9':
			if octet = octet*10 + int(c-'0'); octet > 255 {
				return netip.Addr{}, false
			}
		case c == '.' && n < 3:
			b[n], octet = byte(octet), 0
			n++
		default:
			return netip.Addr{}, false
		}
	}
	b[3] = byte(octet)
	return netip.AddrFrom4(b), n == 3 && b != [4]byte{255, 255, 255, 255}
}
