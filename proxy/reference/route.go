package reference

import (
	"github.com/nolive/nolive/proxy/nginxconf"
	"github.com/nolive/nolive/proxy/variable"
	"github.com/nolive/nolive/proxy/wire"
)

// router finds who answers a request that came in on one listen address.
type router struct {
	port *nginxconf.Port
	// fallback is the server for a request that names no other.
	fallback *nginxconf.Server
}

func newRouter(c *nginxconf.Config, listen string) *router {
	p := c.Port(listen)
	return &router{p, p.Default()}
}

// routed is where the last request of a connection went: the next one usually
// asks for the same.
type routed struct {
	// fixed is true when the way holds for every request with this host and
	// target, and a body of at most limit bytes.
	fixed        bool
	host, target string
	limit        int64

	server *nginxconf.Server
	way    nginxconf.Way
	step   nginxconf.Step
}

// find routes a request. It allocates only when it differs from the last one, or
// when its way depends on more than its target.
func (c *client) find() {
	t, rq := &c.route, &c.rq
	seen := c.facts()
	seen.Client, seen.Origin = c.self, variable.Address{}
	if t.fixed && string(rq.host) == t.host && string(rq.target) == t.target && rq.length <= t.limit {
		t.way.Again(rq.method, rq.length)
		return
	}
	if string(rq.host) != t.host || t.server == nil {
		t.host = string(rq.host)
		c.vars.Host, _ = nginxconf.HostOf(rq.terms.version, t.host)
		t.server = c.router.port.Server(c.vars.Host)
	}
	if string(rq.target) != t.target {
		t.target = string(rq.target)
	}
	facts := variable.Facts(&c.vars)
	if c.account != nil {
		facts = c.account
	}
	seen.Method, seen.Target, seen.Host = rq.method, t.target, c.vars.Host
	t.step = t.way.Begin(c.proxy.config, t.server, facts, rq.length)
	// An account has a request of its own each time.
	t.fixed = t.way.Fixed() && !t.way.Refused() && c.account == nil
	t.limit = t.way.BodyLimit()
	if c.account != nil {
		c.account.route(t.server, t.way.Location())
	}
	c.complains()
}

// moved notes that the request went elsewhere.
func (c *client) moved() {
	c.route.fixed = false
	c.keeps()
	if c.account != nil {
		c.account.route(c.route.server, c.route.way.Location())
	}
	c.complains()
}

// fail is what comes after an error of the proxy's own.
func (c *client) fail(status int) nginxconf.Step {
	step := c.route.way.Fail(status)
	c.moved()
	return step
}

// intercept is what takes the place of the backend's response, if anything does.
func (c *client) intercept(pass *nginxconf.Pass) (nginxconf.Step, bool) {
	step, ok := c.route.way.Intercept(pass, c.rs.Status)
	if ok && c.rs.Status == 401 {
		c.leaves("WWW-Authenticate")
	}
	if !ok && c.rs.Redirects {
		step, ok = c.route.way.AccelRedirect(pass, string(c.rs.Redirect), c.carries)
	}
	if ok {
		c.moved()
	}
	return step, ok
}

// leaves leaves the header lines of a name to what takes the response's place
// (ngx_http_upstream_intercept_errors): before 1.23.0 the first of them.
func (c *client) leaves(name string) {
	for i := range c.rs.Fields {
		f := &c.rs.Fields[i]
		if !wire.Is(f.Name, name) {
			continue
		}
		c.route.way.Leave(string(f.Name), string(f.Value))
		if !c.proxy.config.Version.JoinsHeaderLines() {
			return
		}
	}
}

// carries are the header lines of the response that another one may get.
func (c *client) carries(yield func(name, value []byte) bool) {
	if c.rs.ContentType != nil && !yield(contentType, c.rs.ContentType) {
		return
	}
	for i := range c.rs.Fields {
		if f := &c.rs.Fields[i]; !yield(f.Name, f.Value) {
			return
		}
	}
}
