package nginxconf

import (
	"strings"

	"github.com/nolive/nolive/proxy/variable"
)

// Route says where a request for a path ends up: the server for to (see
// Destination) and what happens there to a GET of which nothing else is known. The
// server is nil when to is unknown.
func (c *Config) Route(to, path string) (*Server, Step) {
	s := c.Destination(to, "").Server
	if s == nil {
		return nil, Step{}
	}
	var w Way
	return s, w.Begin(c, s, &variable.Request{Method: "GET", Target: path}, -1)
}

// Port is a listen address with the servers that share it.
type Port struct {
	servers []*Server
	def     *Server
	// TLS is true where connections begin with a handshake.
	TLS bool
}

// Port is the listen address, as written; nil when no server has it.
func (c *Config) Port(listen string) *Port {
	at := canonicalListen(listen)
	p := &Port{def: c.defaultServer(listen), TLS: c.encrypted(listen)}
	for _, s := range c.Servers {
		for _, l := range s.Listens {
			if canonicalListen(l.Address) == at {
				p.servers = append(p.servers, s)
				break
			}
		}
	}
	if p.def == nil {
		return nil
	}
	return p
}

// Server is the server that takes a request for a host (see HostOf): by its name,
// else the default one (ngx_http_find_virtual_server). A request that names no host
// is for the first server without a name, which the default one needn't be.
func (p *Port) Server(host string) *Server {
	if host == "" {
		for _, s := range p.servers {
			if s.nameless() {
				return s
			}
		}
		return p.def
	}
	if s := named(p.servers, host); s != nil {
		return s
	}
	return p.def
}

// Default is the server that a client is with before it has named a host.
func (p *Port) Default() *Server { return p.def }

// defaultServer is the server that answers on a listen address when no name
// matches: the default_server, else the first.
func (c *Config) defaultServer(listen string) *Server {
	var first *Server
	at := canonicalListen(listen)
	for _, s := range c.Servers {
		for _, l := range s.Listens {
			if canonicalListen(l.Address) != at {
				continue
			}
			if l.Default {
				return s
			}
			if first == nil {
				first = s
			}
		}
	}
	return first
}

// named is the server with a name: written so, else by the longest wildcard in
// front, else by the longest one at the end, else by the first regex.
func named(servers []*Server, host string) *Server {
	var front, back *Server
	longest, longestBack := 0, 0
	for _, s := range servers {
		for _, n := range s.Names {
			switch {
			case n == host, strings.HasPrefix(n, ".") && host == n[1:]:
				return s
			case strings.HasPrefix(n, "~"):
			case strings.HasPrefix(n, "."):
				if strings.HasSuffix(host, n) && len(n) > longest {
					front, longest = s, len(n)
				}
			case strings.HasPrefix(n, "*."):
				if strings.HasSuffix(host, n[1:]) && len(n)-1 > longest {
					front, longest = s, len(n)-1
				}
			case strings.HasSuffix(n, ".*"):
				if strings.HasPrefix(host, n[:len(n)-1]) && len(n) > longestBack {
					back, longestBack = s, len(n)
				}
			}
		}
	}
	switch {
	case front != nil:
		return front
	case back != nil:
		return back
	}
	for _, s := range servers {
		for _, x := range s.regexes {
			if x.match(host) != nil {
				return s
			}
		}
	}
	return nil
}

// match takes in the groups of the server_name that the request's host matches.
func (s *Server) match(w *Way) {
	host := w.rq.Host
	for _, n := range s.Names {
		if n == host || host == "" {
			return
		}
	}
	for _, x := range s.regexes {
		if groups := x.match(host); groups != nil {
			w.varied = true
			w.matched(x, groups)
			return
		}
	}
}
