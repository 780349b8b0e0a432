package nginxconf

import (
	"strings"
	"time"

	"github.com/nolive/nolive/proxy/upstream"
	"github.com/nolive/nolive/proxy/variable"
)

// StreamServer is one server block of stream: it passes connections on.
type StreamServer struct {
	// Listens are the listen directives as written; there is at least one.
	Listens []Listen
	Pass    *StreamPass
	// Logs is where sessions are logged.
	Logs *Logs
}

// StreamPass is where a stream server passes connections to, with all it inherits.
type StreamPass struct {
	Upstream *upstream.Config
	// ConnectTimeout is proxy_connect_timeout, default 60 s; Timeout is
	// proxy_timeout, default 10 min: how long nothing may pass in either direction.
	ConnectTimeout, Timeout time.Duration
	// Policy is proxy_next_upstream with its limits: Next is 0 for on, or Off.
	Policy upstream.Policy
}

// Stream finds the stream server for a listen address as written; "" is the first
// one's. It is nil when there is none.
func (c *Config) Stream(to string) *StreamServer {
	if to == "" {
		if len(c.Streams) > 0 {
			return c.Streams[0]
		}
		return nil
	}
	at := canonicalListen(to)
	for _, s := range c.Streams {
		for _, l := range s.Listens {
			if canonicalListen(l.Address) == at {
				return s
			}
		}
	}
	return nil
}

// streamLevel is what one level of stream says about proxying; nil is "nothing, inherit".
type streamLevel struct {
	patience patience
	idle     *time.Duration
	next     *upstream.Flags
	logs     logLevel
}

func (l streamLevel) over(outer streamLevel) streamLevel {
	l.patience = l.patience.over(outer.patience)
	inherit(&l.idle, outer.idle)
	inherit(&l.next, outer.next)
	l.logs = l.logs.over(outer.logs)
	return l
}

// stream reads the inside of stream. Its blocks and listens are apart from those
// of http.
func (in *interpreter) stream(ds []*Directive) {
	st := &interpreter{
		checker: in.checker, inStream: true, // its levels are apart too
		names:   names{made: map[string][]variable.Template{}, elsewhere: map[string]string{}},
		spelled: in.spelled, zones: map[string]int64{},
		blocks: map[string]*upstream.Config{}, hosts: map[string]*upstream.Config{}, ports: map[string]*port{},
	}
	st.enter(&level{inStream: true})
	before := seen{}
	good := make([]bool, len(ds))
	for i, d := range ds {
		if good[i] = st.check(d, inStream, before); good[i] && d.Name.Text == "upstream" {
			st.upstream(d)
		}
	}
	for name, size := range st.zones {
		if size == 0 {
			st.zoneWithoutSize(ds, name)
		}
	}
	st.readFormats(ds, good)
	ten, on := 10*time.Minute, upstream.Flags(0)
	base := st.streamLevel(ds).over(streamLevel{patience: unbounded(), idle: &ten, next: &on})
	for i, d := range ds {
		st.formats.now = i
		switch {
		case !good[i]:
		case d.Name.Text == "server":
			st.streamServer(d, base)
		default:
			st.inner(d, inStream)
		}
	}
	st.checkNames()
}

// streamLevel collects the level's own directives. Their form was checked.
func (in *interpreter) streamLevel(ds []*Directive) streamLevel {
	l := streamLevel{logs: in.streamLogs(ds)}
	for _, d := range ds {
		if d.Block != nil || d.Broken || len(d.Args) == 0 || l.patience.read(d) {
			continue
		}
		switch d.Name.Text {
		case "proxy_timeout":
			l.idle = timeOf(d)
		case "proxy_next_upstream":
			f := upstream.Flags(0)
			if strings.EqualFold(d.Arg(0), "off") {
				f = upstream.Off
			}
			l.next = &f
		}
	}
	return l
}

// streamServer reads a server block of stream (ngx_stream_core_server).
func (in *interpreter) streamServer(d *Directive, base streamLevel) {
	s := &StreamServer{}
	defer in.enter(&level{stream: s})()
	ds := d.Children()
	before := seen{}
	var pass *Directive
	answered := false
	for _, c := range ds {
		if !in.check(c, inStreamServer, before) {
			continue
		}
		switch c.Name.Text {
		case "listen":
			in.streamListen(c, s)
		case "proxy_pass":
			if in.once(c, before) {
				pass = c
			}
		case "return", "pass", "js_access", "js_filter", "js_preread":
			answered = true
		}
	}
	switch {
	case d.Broken:
		return
	case len(s.Listens) == 0:
		in.out.add(d.Pos(), "", "no \"listen\" is defined for server")
		return
	case pass == nil:
		if !answered {
			in.out.add(d.Pos(), "it needs a proxy_pass", "no handler for server")
		}
		return
	}
	level := in.streamLevel(ds).over(base)
	s.Logs = level.logs.streamLogs()
	if s.Pass = in.streamPass(pass, level); s.Pass != nil {
		in.cfg.Streams = append(in.cfg.Streams, s)
	}
}

// streamListen reads one listen (ngx_stream_core_listen).
func (in *interpreter) streamListen(d *Directive, s *StreamServer) {
	l := Listen{Address: d.Arg(0)}
	// Without a port nginx 1.22 listens on any.
	_, err := parseAddress(l.Address, 0, forListen)
	if err != "" {
		in.out.add(d.ArgPos(0), "", "%s in \"%s\" of the \"listen\" directive", err, l.Address)
		return
	}
	for i, p := range d.Args[1:] {
		l.Parameters = append(l.Parameters, p.Text)
		switch {
		case p.Text == "udp":
			in.nginxOnlyArg(d, i+1, "clients here speak TCP")
			continue
		case p.Text == "ssl" || p.Text == "proxy_protocol":
			in.nginxOnlyArg(d, i+1, "clients here speak plain HTTP/1")
			continue
		}
		why, _ := listenParameter(p.Text)
		if p.Text == "default_server" || p.Text == "default" || p.Text == "quic" || p.Text == "http2" || p.Text == "deferred" {
			why = "the invalid \"" + p.Text + "\" parameter"
		}
		if why != "" {
			in.out.add(d.ArgPos(i+1), missingSemicolon(d), "%s", why)
			break
		}
	}
	at := canonicalListen(l.Address)
	if in.ports[at] != nil {
		in.out.add(d.ArgPos(0), "", "duplicate \"%s\" address and port pair", at)
	}
	in.ports[at] = &port{}
	s.Listens = append(s.Listens, l)
}

// streamPass reads a proxy_pass (ngx_stream_proxy_pass); nil when it has no fixed host.
func (in *interpreter) streamPass(d *Directive, l streamLevel) *StreamPass {
	arg := d.Arg(0)
	if strings.Contains(arg, "$") {
		in.nginxOnly(d, "the backend depends on variables")
		return nil
	}
	a, err := parseAddress(arg, 0, forServer)
	if err != "" {
		in.out.add(d.ArgPos(0), addressHint(arg), "%s in upstream \"%s\"", err, arg)
		return nil
	}
	if a.noPort && !a.unix && in.blocks[a.host] == nil {
		in.out.add(d.ArgPos(0), "it is host:port, or the name of an upstream block of stream", "no port in upstream \"%s\"", arg)
		return nil
	}
	u := in.pool(d, a)
	if u == nil {
		return nil
	}
	u.Stream = true
	return &StreamPass{
		Upstream: u, ConnectTimeout: *l.patience.connect, Timeout: *l.idle,
		Policy: upstream.Policy{Next: *l.next, Tries: *l.patience.tries, Timeout: *l.patience.limit},
	}
}

// connectionKey notes variables of a key that not every engine knows of a connection.
func (in *interpreter) connectionKey(d *Directive, names []string) {
	for _, n := range names {
		if n != "remote_addr" && n != "binary_remote_addr" {
			in.nginxOnlyArg(d, 0, "$"+n+" isn't known to every engine")
		}
	}
}

// namesakes notes blocks of stream that are called like one of http: nginx's log
// has only the name.
func (in *interpreter) namesakes() {
	had := map[string]bool{}
	for _, u := range in.cfg.Upstreams {
		had[u.Name] = had[u.Name] || !u.Stream
	}
	for _, s := range in.cfg.Streams {
		if u := s.Pass.Upstream; had[u.Name] {
			in.cfg.NginxOnly = append(in.cfg.NginxOnly, Note{Served: true, Pos: in.cfg.Tree.Files[0].Pos(0), Text: quoteShort(u.Name) + " is an upstream of http and of stream, which the log couldn't tell apart"})
		}
	}
}
