package nginxconf

import (
	"strconv"
	"strings"

	"github.com/nolive/nolive/proxy/upstream"
	"github.com/nolive/nolive/proxy/variable"
)

// Header is one line that proxy_set_header adds to the request as a backend
// gets it.
type Header struct {
	Name  string
	value variable.Template
}

// SetHeaders calls yield for every header line that is set for a request on this
// way, in nginx's order: the configuration's first, then those that are nginx's
// own. A line without a value isn't sent.
func (p *Pass) SetHeaders(w *Way, yield func(name, value string)) {
	host, connection := true, !p.KeepConnection
	first := w.cfg.Version.SendsHostFirst()
	if first {
		if v := p.host(w); v != "" {
			yield("Host", v)
		}
	}
	for i := range p.Headers {
		h := &p.Headers[i]
		switch {
		case strings.EqualFold(h.Name, "Host"):
			if host = false; first {
				continue
			}
		case strings.EqualFold(h.Name, "Connection"):
			connection = false
		}
		if v := h.value.Value(w.facts); v != "" {
			yield(h.Name, v)
		}
	}
	if host && !first {
		yield("Host", p.Upstream.Name)
	}
	if connection {
		yield("Connection", "close")
	}
}

// host is the Host header since 1.31.4: the last one that is set, and $proxy_host
// instead of none where HTTP/1.1 needs one (ngx_http_proxy_create_request).
func (p *Pass) host(w *Way) string {
	for i := len(p.Headers) - 1; i >= 0; i-- {
		if h := &p.Headers[i]; strings.EqualFold(h.Name, "Host") {
			if v := h.value.Value(w.facts); v != "" || !p.HTTP11 {
				return v
			}
			break
		}
	}
	return p.Upstream.Name
}

// Sets says whether a header of the client isn't passed on because the
// configuration sets one of that name. Those that nginx itself sets are hidden
// too (ngx_http_proxy_headers): Host, Connection, Content-Length,
// Transfer-Encoding, TE, Keep-Alive, Expect and Upgrade, since 1.31.0
// Proxy-Connection.
func (p *Pass) Sets(name []byte) bool {
	for i := range p.Headers {
		if n := p.Headers[i].Name; len(n) == len(name) && strings.EqualFold(n, string(name)) {
			return true
		}
	}
	return false
}

// RequestMethod is the method that a backend gets (proxy_method).
func (p *Pass) RequestMethod(w *Way) string {
	if p.method == nil {
		return w.method
	}
	return p.method.Value(w.facts)
}

// RequestBody is the body of proxy_set_body; false where the client's own goes on.
func (p *Pass) RequestBody(w *Way) (string, bool) {
	if p.body == nil {
		return "", false
	}
	return p.body.Value(w.facts), true
}

// proxyHost are $proxy_host and $proxy_port.
func (p *Pass) proxyHost() (host, port string) {
	if p.Upstream == nil {
		return "", ""
	}
	if strings.HasPrefix(p.Upstream.Name, "unix:") {
		return "localhost", ""
	}
	return p.Upstream.Name, p.port()
}

// port is $proxy_port: the one that is written, else the scheme's.
func (p *Pass) port() string {
	if i := strings.LastIndexByte(p.Upstream.Name, ':'); i >= 0 && digits(p.Upstream.Name[i+1:]) {
		return p.Upstream.Name[i+1:]
	}
	return "80"
}

func digits(s string) bool {
	_, err := strconv.ParseUint(s, 10, 16)
	return err == nil
}

// resolve finds the backend of a proxy_pass with variables
// (ngx_http_proxy_eval, ngx_http_upstream_init_request): an upstream block of
// that name, or else a server that only this request knows, so that nothing is
// remembered of it. uri is what follows the host, "" for nothing; status is
// nginx's answer where there is no backend.
func (w *Way) resolve(p *Pass) (out *Pass, uri string, status int) {
	v := p.dynamic.Value(w.facts)
	scheme, rest, ok := strings.Cut(v, "://")
	if !ok || !strings.EqualFold(scheme, "http") || rest == "" {
		w.complain(badPrefix + " in " + quoted(v))
		return nil, "", 500
	}
	a, err := parseAddress(rest, 80, forPass)
	if err != "" {
		w.complain(err + " in upstream " + quoted(rest))
		return nil, "", 500
	}
	w.rq.ProxyHost, w.rq.ProxyPort = a.text, strconv.Itoa(a.port)
	if strings.HasPrefix(a.uri, "?") {
		a.uri = "/" + a.uri
	}
	for _, u := range w.cfg.Upstreams {
		if w.cfg.names(u, a) {
			return p.to[u], a.uri, 0
		}
	}
	host := a.host
	if len(rest) >= len(host) && strings.EqualFold(rest[:len(host)], host) {
		host = rest[:len(host)] // as it is written
	}
	w.complain(noResolver + " " + host)
	return nil, "", 502 // nobody could be asked
}

// IsImplicit says whether u is of a host that no upstream block is called.
func (c *Config) IsImplicit(u *upstream.Config) bool { return c.implicit[u] }

// names says whether an address, as it came out of variables, is that of an
// upstream: a block by its name without a port, else by host and port.
func (c *Config) names(u *upstream.Config, a address) bool {
	if !c.implicit[u] {
		return a.noPort && strings.EqualFold(u.Name, a.host)
	}
	b, err := parseAddress(u.Name, 80, forPass)
	return err == "" && a.canonical() == b.canonical()
}
