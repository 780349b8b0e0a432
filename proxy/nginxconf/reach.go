package nginxconf

import (
	"slices"
	"strings"

	"github.com/nolive/nolive/proxy/upstream"
	"github.com/nolive/nolive/proxy/variable"
)

// Reach is what requests can come to in a configuration, errors and error pages
// counted in. What isn't modelled doesn't matter where none comes.
type Reach struct {
	cfg *Config
	// entered are the locations whose directives held for a request at some
	// moment, served those that answered one or passed it on: what nginx does
	// after the rewrite phase matters there alone.
	entered, served map[*Location]bool
	listens         map[string]bool // canonical
	streams         map[*StreamServer]bool
	upstreams       map[*upstream.Config]bool
	redirects       func(*upstream.Config) []string
	// all is true when anything may be reached.
	all bool
}

// NewReach is that of no request.
func (c *Config) NewReach() *Reach {
	return &Reach{
		cfg: c, entered: map[*Location]bool{}, served: map[*Location]bool{}, listens: map[string]bool{},
		streams: map[*StreamServer]bool{}, upstreams: map[*upstream.Config]bool{},
	}
}

// ByAddress says whether a request's way may depend on where it comes from.
func (c *Config) ByAddress() bool { return c.byAddress }

// Redirects tells what the backends of an upstream may have in X-Accel-Redirect; nil is
// that nobody has any.
func (r *Reach) Redirects(by func(*upstream.Config) []string) { r.redirects = by }

// All counts everything as reached.
func (r *Reach) All() { r.all = true }

// Request takes in a request for a destination; length is its body's, as in Begin.
func (r *Reach) Request(to Destination, rq variable.Request, length int64) {
	if to.Server == nil && to.Stream == nil {
		return
	}
	r.listens[canonicalListen(to.Listen)] = true
	if to.Server == nil {
		r.streams[to.Stream], r.upstreams[to.Stream.Pass.Upstream] = true, true
		return
	}
	rq.Host, rq.TLS = to.Host, to.TLS
	w := Way{reach: r}
	if to.Refused {
		r.follow(&w, w.Refuse(r.cfg, to.Server, &rq, 400), map[mark]bool{})
		return
	}
	step := w.Begin(r.cfg, to.Server, &rq, length)
	r.follow(&w, step, map[mark]bool{})
}

// mark is where a way was when it was followed.
type mark struct {
	loc   *Location
	path  string
	erred bool
}

// follow takes in what a step may lead to: a backend that fails, one whose answer is
// replaced, and one that sends the request elsewhere.
func (r *Reach) follow(w *Way, step Step, had map[mark]bool) {
	m := mark{w.loc, w.rq.Path, w.erred}
	if step.Pass == nil || had[m] {
		return
	}
	had[m] = true
	r.upstreams[step.Pass.Upstream] = true
	for _, status := range w.Pages() {
		// nginx itself answers so for a backend that it can't use, and for a body in
		// chunks that turns out too long.
		if status != 413 && status != 500 && status != 502 && status != 504 && !step.Pass.InterceptErrors {
			continue
		}
		other, rq := *w, *w.rq
		other.Fork(&rq)
		r.follow(&other, other.Fail(status), had)
	}
	if r.redirects == nil {
		return
	}
	for _, to := range r.redirects(step.Pass.Upstream) {
		other, rq := *w, *w.rq
		other.Fork(&rq)
		if next, ok := other.AccelRedirect(step.Pass, to, nil); ok {
			r.follow(&other, next, had)
		}
	}
}

// Config is the configuration as those requests see it: what isn't modelled and
// matters to none is in Unreached.
func (r *Reach) Config() *Config {
	if len(r.cfg.NginxOnly) == 0 {
		return r.cfg
	}
	out := *r.cfg
	out.NginxOnly, out.Unreached = nil, nil
	for _, n := range r.cfg.NginxOnly {
		to := &out.Unreached
		if r.matters(n) {
			to = &out.NginxOnly
		}
		same := func(o Note) bool { return o.Pos == n.Pos && o.Text == n.Text }
		if !slices.ContainsFunc(*to, same) {
			*to = append(*to, n)
		}
	}
	return &out
}

// matters says whether what a note is about touches any of the requests.
func (r *Reach) matters(n Note) bool {
	switch l := n.level; {
	case r.all:
		return true
	case n.name == "mail":
		return false // no client here speaks of mail
	case l == nil || l.outer == nil:
		return true // the main level
	case n.listen != "":
		return r.listens[n.listen]
	case n.name == "server_name":
		// Whoever comes to the port may be meant.
		return slices.ContainsFunc(l.server.Listens, func(l Listen) bool { return r.listens[canonicalListen(l.Address)] })
	case l.inStream:
		return len(r.streams) > 0
	case n.own || alone(n.name):
		return r.touches(n, l.loc)
	case l.loc != nil:
		return r.inherited(n, l)
	case l.upstream == nil && l.stream == nil && l.variable == "":
		return r.inherited(n, l)
	default:
		return r.reaches(l)
	}
}

// reaches says whether a request comes to a level.
func (r *Reach) reaches(l *level) bool {
	switch {
	case l.loc != nil:
		return r.entered[l.loc]
	case l.upstream != nil:
		return r.upstreams[l.upstream]
	case l.stream != nil:
		return r.streams[l.stream]
	case l.variable != "":
		return slices.ContainsFunc(r.cfg.askers[l.variable], r.reaches)
	}
	return true
}

// inherited says whether a location that was reached has what stands at a level,
// its own or from outside, and no level between says otherwise.
func (r *Reach) inherited(n Note, from *level) bool {
	for loc := range r.entered {
		if !r.touches(n, loc) {
			continue
		}
		l := loc.level
		for l != nil && l != from && !l.hides(n.name) {
			l = l.outer
		}
		if l == from {
			return true
		}
	}
	return false
}

// touches says whether a location was reached as far as a note's directive does
// anything: most do once the location is settled, and nothing where a return
// answers before.
func (r *Reach) touches(n Note, loc *Location) bool {
	if early(n.name) {
		return r.entered[loc]
	}
	if r.served[loc] {
		return true
	}
	if !n.own && !alone(n.name) {
		return false
	}
	for l := range r.served {
		for ; l.outer != nil; l = l.outer {
			if l.outer == loc {
				return true // an if or a limit_except has the handler of its location
			}
		}
	}
	return false
}

// hides says whether a level's own directives take the place of inherited ones of
// that name.
func (l *level) hides(name string) bool {
	if _, known := directives().byName[name]; !known {
		return false // of a module that nothing is known of
	}
	return l.names[name] || name == "deny" && l.names["allow"]
}

// alone says whether a directive does nothing for the locations inside of its
// level: it says who answers, and that isn't inherited.
func alone(name string) bool {
	switch name {
	case "try_files", "stub_status", "empty_gif", "flv", "mp4", "perl", "tunnel_pass", "f4f", "hls", "api", "proxy_pass":
		return true
	}
	return strings.HasSuffix(name, "_pass") && passSchemes[name] != nil
}

// early says whether a directive does something as soon as its level holds: those
// that choose a location or rewrite, and what is done to any answer. Of what
// another module does nothing is known.
func early(name string) bool {
	switch name {
	case "if", "set", "rewrite", "return", "location", "error_page", "merge_slashes", "ssl", "map",
		"limit_rate", "add_before_body", "add_after_body", "image_filter", "xslt_stylesheet", "slice", "ssi", "post_action",
		"real_ip_header", "set_real_ip_from", "proxy_pass", "ssl_verify_client", "ssl_reject_handshake":
		return true
	}
	_, known := directives().byName[name]
	return !known
}
