package reference

import (
	"net"
	"strings"

	"github.com/nolive/nolive/proxy/nginxconf"
)

// router finds who answers a request that came in on one listen address.
type router struct {
	config *nginxconf.Config
	// listen is the address as written; it stands for the default server.
	listen string
	// names are the server names that are served here.
	names map[string]bool
	// wild are those that begin or end with "*".
	wild []string
	// fallback is the server for a request that names none of them.
	fallback *nginxconf.Server
}

// newRouter collects the names served on a listen address.
func newRouter(c *nginxconf.Config, key, listen string) *router {
	r := &router{config: c, listen: listen, names: map[string]bool{}}
	r.fallback, _ = c.Route(listen, "/")
	for _, s := range c.Servers {
		if !listensOn(s, key) {
			continue
		}
		for _, n := range s.Names {
			switch {
			case strings.Contains(n, "*"):
				r.wild = append(r.wild, n)
			case strings.HasPrefix(n, "."):
				r.names[n[1:]] = true
				r.wild = append(r.wild, n)
			default:
				r.names[n] = true
			}
		}
	}
	return r
}

func listensOn(s *nginxconf.Server, key string) bool {
	for _, l := range s.Listens {
		if listenKey(l.Address) == key {
			return true
		}
	}
	return len(s.Listens) == 0 && key == listenKey("80")
}

// find returns the server and the location for a request; a nil location is
// nginx's own 404.
func (r *router) find(host, target string) (*nginxconf.Server, *nginxconf.Location) {
	return r.config.Route(r.server(host), target)
}

// server is the name of the server that takes the host, the listen address for
// the default one.
func (r *router) server(host string) string {
	if host == "" || len(r.names) == 0 && len(r.wild) == 0 {
		return r.listen
	}
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if r.names[host] {
		return host
	}
	// The longest name wins, one that begins with "*" before one that ends with it
	// (ngx_http_find_virtual_server).
	best := ""
	for _, n := range r.wild {
		if suffix := strings.TrimPrefix(n, "*"); suffix[0] == '.' && strings.HasSuffix(host, suffix) && len(n) > len(best) {
			best = n
		}
	}
	if best != "" {
		return best
	}
	for _, n := range r.wild {
		if prefix, ok := strings.CutSuffix(n, "*"); ok && strings.HasPrefix(host, prefix) && len(n) > len(best) {
			best = n
		}
	}
	if best != "" {
		return best
	}
	return r.listen
}

// routed is where the last request of a connection went: the next one usually
// asks for the same.
type routed struct {
	valid        bool
	host, target string
	server       *nginxconf.Server
	location     *nginxconf.Location
	// uri is the target as the backend gets it.
	uri string
}

// find routes a request; it allocates only when the target differs from the
// last one.
func (t *routed) find(r *router, host, target []byte) {
	if t.valid && string(host) == t.host && string(target) == t.target {
		return
	}
	*t = routed{valid: true, host: string(host), target: string(target)}
	t.server, t.location = r.find(t.host, t.target)
	if t.location != nil && t.location.Pass != nil {
		t.uri = t.location.Pass.UpstreamURI(t.target)
	}
}
