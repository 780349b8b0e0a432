package nginxconf

import (
	"cmp"
	"strings"
	"time"

	"github.com/nolive/nolive/proxy/upstream"
	"github.com/nolive/nolive/proxy/variable"
)

// proxyLevel is what one level (http, server, location) says about proxying;
// nil is "nothing, inherit".
type proxyLevel struct {
	patience           patience
	send, read         *time.Duration
	next               *upstream.Flags
	http11, keepClient *bool
	// headers are the level's proxy_set_header lines: one hides all inherited ones.
	headers []header
	logs    logLevel
	// verify and trusted are the proxy_ssl_verify and the
	// proxy_ssl_trusted_certificate in force.
	verify, trusted *Directive
	// root is the directive that says where files are.
	root *Directive
	// realIP is the level's own, serverRealIP that of the server's level.
	realIP       realIP
	serverRealIP *realIP
	// intercept is proxy_intercept_errors, buffering proxy_buffering; noHeaders and
	// noBody are proxy_pass_request_headers off and proxy_pass_request_body off.
	intercept, buffering, passHeaders, passBody *bool
	// streamed is proxy_request_buffering off, bodyBuffer client_body_buffer_size.
	streamed     *bool
	bodyBuffer   *int
	buffers      bufferSizes
	method, body *variable.Template
	settings     settings
	responses    responseRules
}

func defaults(v upstream.Version) proxyLevel {
	minute, no, body := time.Minute, false, defaultBodyBuffer
	next, http11 := upstream.Flags(0), v.KeepsByDefault()
	yes := true
	return proxyLevel{
		patience: unbounded(), send: &minute, read: &minute, next: &next, http11: &http11, keepClient: &no,
		intercept: &no, buffering: &yes, passHeaders: &yes, passBody: &yes, streamed: &no, bodyBuffer: &body, settings: defaultSettings(v),
	}
}

// over fills what the level leaves open from the level outside of it.
func (l proxyLevel) over(outer proxyLevel) proxyLevel {
	l.patience = l.patience.over(outer.patience)
	inherit(&l.send, outer.send)
	inherit(&l.read, outer.read)
	inherit(&l.next, outer.next)
	inherit(&l.http11, outer.http11)
	inherit(&l.keepClient, outer.keepClient)
	inherit(&l.verify, outer.verify)
	inherit(&l.trusted, outer.trusted)
	inherit(&l.root, outer.root)
	inherit(&l.serverRealIP, outer.serverRealIP)
	l.realIP = l.realIP.over(outer.realIP)
	l.logs = l.logs.over(outer.logs)
	inherit(&l.intercept, outer.intercept)
	inherit(&l.buffering, outer.buffering)
	inherit(&l.passHeaders, outer.passHeaders)
	inherit(&l.passBody, outer.passBody)
	inherit(&l.method, outer.method)
	inherit(&l.body, outer.body)
	inherit(&l.streamed, outer.streamed)
	inherit(&l.bodyBuffer, outer.bodyBuffer)
	l.buffers = l.buffers.over(outer.buffers)
	l.settings = l.settings.over(outer.settings)
	l.responses = l.responses.over(outer.responses)
	if l.headers == nil {
		l.headers = outer.headers
	}
	return l
}

func inherit[T any](p **T, outer *T) {
	if *p == nil {
		*p = outer
	}
}

// proxyLevel collects the level's own directives. Their form was checked; a
// wrong value counts as absent.
func (in *interpreter) proxyLevel(ds []*Directive) proxyLevel {
	l := proxyLevel{logs: in.logLevel(ds), settings: in.settings(ds)}
	for i, d := range ds {
		if d.Block != nil || d.Broken || len(d.Args) == 0 || l.patience.read(d) || in.responseRules(d, ds[:i], &l.responses) {
			continue
		}
		switch d.Name.Text {
		case "proxy_send_timeout":
			l.send = timeOf(d)
		case "proxy_read_timeout":
			l.read = timeOf(d)
		case "proxy_next_upstream":
			l.next = in.next(d, l.next)
		case "proxy_ignore_client_abort":
			on := strings.EqualFold(d.Arg(0), "on")
			l.keepClient = &on
		case "proxy_http_version":
			l.http11 = in.version(d)
		case "proxy_set_header":
			if t, ok := in.template(d, 1, d.Arg(1)); ok {
				l.headers = append(l.headers, header{Header{d.Arg(0), t}, d})
			}
		case "proxy_intercept_errors":
			l.intercept = onOff(d)
		case "proxy_request_buffering":
			on := strings.EqualFold(d.Arg(0), "off")
			l.streamed = &on
		case "client_body_buffer_size":
			l.bodyBuffer = bodyBuffer(d)
		case "proxy_buffer_size", "proxy_buffers", "proxy_busy_buffers_size":
			l.buffers.read(d)
		case "proxy_buffering":
			l.buffering = onOff(d)
		case "proxy_pass_request_headers":
			l.passHeaders = onOff(d)
		case "proxy_pass_request_body":
			l.passBody = onOff(d)
		case "proxy_method":
			l.method = in.optional(d)
		case "proxy_set_body":
			l.body = in.optional(d)
		case "proxy_ssl_verify":
			l.verify = d
		case "proxy_ssl_trusted_certificate":
			l.trusted = d
		case "root", "alias":
			l.root = d
		case "set_real_ip_from", "real_ip_header", "real_ip_recursive":
			in.realIP(d, &l.realIP)
		}
	}
	return l
}

func timeOf(d *Directive) *time.Duration {
	if t, ok := duration(d.Arg(0), milliseconds); ok {
		return &t
	}
	return nil
}

// next reads proxy_next_upstream; several lines of one level add up.
func (in *interpreter) next(d *Directive, had *upstream.Flags) *upstream.Flags {
	var all upstream.Flags
	if had != nil {
		all = *had
	}
	for i, a := range d.Args {
		word := strings.ToLower(a.Text)
		f, err := upstream.ParseFlag(word)
		hint, newer := in.tooNew(flagSince, word)
		switch {
		case newer:
			in.out.add(d.ArgPos(i), hint, "invalid value \"%s\"", a.Text)
		case strings.EqualFold(a.Text, "updating"): // accepted; only for caches
		case err != nil:
			in.out.add(d.ArgPos(i), nextHint(d, a.Text), "invalid value \"%s\"", a.Text)
		default:
			all |= f
		}
	}
	return &all
}

func nextHint(d *Directive, arg string) string {
	if h := missingSemicolon(d); h != "" {
		return h
	}
	return suggest(arg, []string{"error", "timeout", "invalid_header", "http_500", "http_502", "http_503", "http_504", "http_403", "http_404", "http_429", "non_idempotent", "off"})
}

// version reads proxy_http_version.
func (in *interpreter) version(d *Directive) *bool {
	on := d.Arg(0) == "1.1"
	hint, newer := in.tooNew(protocolSince, d.Arg(0))
	switch v := d.Arg(0); {
	case newer:
		in.out.add(d.ArgPos(0), hint, "invalid value \"%s\"", v)
	case v == "1.0" || v == "1.1":
	case v == "2":
		in.nginxOnlyArg(d, 0, "HTTP/2 to backends isn't modelled")
	default:
		in.out.add(d.ArgPos(0), "1.0 or 1.1", "invalid value \"%s\"", v)
	}
	return &on
}

// optional is a template that may be absent.
func (in *interpreter) optional(d *Directive) *variable.Template {
	t, ok := in.template(d, 0, d.Arg(0))
	if !ok {
		return nil
	}
	return &t
}

// pass reads a proxy_pass (ngx_http_proxy_pass); nil when it has no backend.
func (in *interpreter) pass(d *Directive, m matcher, l proxyLevel) *Pass {
	arg := d.Arg(0)
	if strings.Contains(arg, "$") {
		return in.dynamic(d, l)
	}
	scheme, rest, ok := strings.Cut(arg, "://")
	scheme = strings.ToLower(scheme)
	if !ok || scheme != "http" && scheme != "https" {
		in.out.add(d.ArgPos(0), "it starts with http://", "invalid URL prefix")
		return nil
	}
	port := 80
	if scheme == "https" {
		port = 443
		if l.verify != nil && strings.EqualFold(l.verify.Arg(0), "on") {
			if l.trusted == nil || l.trusted.Arg(0) == "" { // ngx_http_proxy_set_ssl
				in.out.add(l.verify.Pos(), "", "no proxy_ssl_trusted_certificate for proxy_ssl_verify")
			}
			in.noteHere(l.verify, "certificates aren't verified here")
		}
	}
	a, err := parseAddress(rest, port, forPass)
	if err != "" {
		in.out.add(d.ArgPos(0), "", "%s in upstream \"%s\"", err, rest)
		return nil
	}
	if a.uri != "" && (m.regex() || m.mod == "@" || m.mod == "if") {
		in.out.add(d.ArgPos(0), "", `"proxy_pass" cannot have URI part in location given by regular expression, or inside named location, or inside "if" statement, or inside "limit_except" block`)
	}
	u := in.pool(d, a)
	if u == nil {
		return nil
	}
	in.numbered++
	p := &Pass{Upstream: u, TLS: scheme == "https", Number: in.numbered, Match: m.path, URI: a.uri, HasURI: a.uri != ""}
	p.take(l, in.keeps(l, u))
	in.buffersFit(d, l.buffers)
	return p
}

// dynamic reads a proxy_pass with variables. Its upstream is known when a request
// is there.
func (in *interpreter) dynamic(d *Directive, l proxyLevel) *Pass {
	t, ok := in.template(d, 0, d.Arg(0))
	if !ok {
		return nil
	}
	in.decides(d, 0, t.Names())
	if len(d.Arg(0)) > 5 && strings.EqualFold(d.Arg(0)[:5], "https") {
		in.nginxOnly(d, "https with variables isn't modelled")
	}
	if intoSocket(d.Arg(0)) {
		in.nginxOnly(d, "a unix socket with variables isn't modelled")
	}
	if l, ok := passLiteral("proxy_pass", d.Arg(0)); ok {
		in.pool(d, l.address)
	}
	in.numbered++
	p := &Pass{Number: in.numbered, dynamic: &t, to: map[*upstream.Config]*Pass{}}
	p.take(l, in.keeps(l, nil))
	in.later = append(in.later, pending{p, l, in.here})
	return p
}

// pending is a proxy_pass with variables whose possible upstreams are found once
// all are known.
type pending struct {
	pass *Pass
	l    proxyLevel
	at   *level
}

// finish gives the proxy_passes with variables their possible upstreams.
func (in *interpreter) finish() {
	for _, n := range in.possible {
		a, err := parseAddress(n, 80, forPass)
		if err == "" && in.blocks[a.host] == nil && in.hosts[a.canonical()] == nil {
			in.implicit(a.canonical(), n)
		}
	}
	for _, p := range in.later {
		in.here = p.at
		for _, u := range in.cfg.Upstreams {
			q := *p.pass
			q.Upstream, q.dynamic, q.to = u, nil, nil
			q.KeepConnection = in.keeps(p.l, u)
			p.pass.to[u] = &q
		}
	}
}

// take gives the pass what holds at its level.
func (p *Pass) take(l proxyLevel, keeps bool) {
	p.ConnectTimeout, p.SendTimeout, p.ReadTimeout = *l.patience.connect, *l.send, *l.read
	p.Policy = upstream.Policy{Next: *l.next, Tries: *l.patience.tries, Timeout: *l.patience.limit}
	p.HTTP11, p.KeepConnection, p.IgnoreClientAbort = *l.http11, keeps, *l.keepClient
	p.StreamsBody, p.BodyBuffer = *l.streamed, *l.bodyBuffer
	p.BufferSize, p.Buffers, p.BusyBuffers = l.buffers.sizes()
	p.InterceptErrors, p.Unbuffered = *l.intercept, !*l.buffering
	p.NoRequestHeaders, p.NoRequestBody = !*l.passHeaders, !*l.passBody
	p.responses = l.responses.done()
	p.method, p.body, p.clients = l.method, l.body, l.clientRules()
	p.Headers = make([]Header, 0, len(l.headers))
	p.AsksConnection = false
	for _, h := range l.headers {
		p.Headers = append(p.Headers, h.Header)
		p.AsksConnection = p.AsksConnection || isConnection(h) && !h.value.Constant()
	}
}

// pool returns the upstream block of that name, or the implicit one, shared by
// all that name the same host and port (ngx_http_upstream_add).
func (in *interpreter) pool(d *Directive, a address) *upstream.Config {
	host := a.host
	if a.unix {
		host = a.text
	}
	if u := in.blocks[host]; u != nil {
		if !a.noPort && !a.unix {
			in.out.add(d.ArgPos(0), "", "upstream \"%s\" may not have port %d", u.Name, a.port)
			return nil
		}
		return u
	}
	key := a.canonical()
	in.cfg.Hosts = append(in.cfg.Hosts, Note{Pos: d.ArgPos(0), Text: a.text})
	if in.hosts[key] == nil {
		in.implicit(key, cmp.Or(in.spelled[key], a.text))
	}
	return in.hosts[key]
}

// implicit makes the upstream of a host that no block names.
func (in *interpreter) implicit(key, name string) {
	u := &upstream.Config{Name: name, Servers: []upstream.Server{upstream.NewServer(name)}, Version: in.cfg.Version}
	in.hosts[key] = u
	in.cfg.implicit[u] = true
	in.cfg.Upstreams = append(in.cfg.Upstreams, u)
}

// keeps says whether the request's Connection header lets the backend keep the
// connection: nginx sends "close", or none since 1.29.7, unless proxy_set_header
// says otherwise.
func (in *interpreter) keeps(l proxyLevel, u *upstream.Config) bool {
	keeps := in.cfg.Version.KeepsByDefault()
	for _, h := range l.headers {
		if !isConnection(h) {
			continue
		}
		keeps = !strings.EqualFold(h.value.Source(), "close")
		if !h.value.Constant() {
			keeps = false
			if u != nil && u.Keepalive.Connections > 0 {
				in.keeping = append(in.keeping, keeping{h, in.here})
			}
		}
	}
	return keeps
}
