package nginxconf

import "strings"

// Route finds who answers a request: the server for to (a listen address as
// written, a server_name, or "" for the first listen's default server) and its
// location for the request target by nginx's precedence. Both are nil when to
// is unknown; the location is never nil otherwise: where nginx answers by
// itself (400, 301 to the same path with a "/", 404) it has no Pass.
func (c *Config) Route(to, path string) (*Server, *Location) {
	s := c.server(to)
	if s == nil {
		return nil, nil
	}
	t, ok := parseTarget(path)
	if !ok {
		return s, &Location{Path: path, Return: &Return{Status: 400}}
	}
	if s.own != nil && s.own.Return != nil {
		return s, s.own
	}
	if l := s.find(nil, t); l != nil {
		return s, l
	}
	if s.own != nil {
		return s, s.own
	}
	return s, &Location{Path: "/"}
}

// find looks for the location among those directly inside parent
// (ngx_http_core_find_location): an exact one, else the longest prefix, and
// then inside that one.
func (s *Server) find(parent *Location, t target) *Location {
	var best, redirect *Location
	for _, l := range s.Locations {
		if l.parent != parent {
			continue
		}
		switch {
		case l.Path == t.path && l.Exact:
			return l
		case l.Path == t.path+"/" && (l.Pass != nil || l.proxied):
			redirect = l
		case !l.Exact && strings.HasPrefix(t.path, l.Path) && (best == nil || len(l.Path) > len(best.Path)):
			best = l
		}
	}
	// A path that lacks only the "/" of a proxied location is sent there
	// (auto_redirect), unless it has a location of its own.
	if redirect != nil && (best == nil || best.Path != t.path) {
		text := escapePath(redirect.Path)
		if t.args != "" {
			text += "?" + t.args
		}
		return &Location{Exact: true, Path: t.path, Return: &Return{Status: 301, Text: text}}
	}
	if best == nil {
		return nil
	}
	if inner := s.find(best, t); inner != nil {
		return inner
	}
	return best
}

// server finds the server for a listen address or a name.
func (c *Config) server(to string) *Server {
	if to == "" {
		if len(c.Servers) == 0 || len(c.Servers[0].Listens) == 0 {
			return nil
		}
		to = c.Servers[0].Listens[0].Address
	}
	if s := c.defaultServer(to); s != nil {
		return s
	}
	return c.named(strings.ToLower(to))
}

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
// front, else by the longest one at the end.
func (c *Config) named(host string) *Server {
	var front, back *Server
	longest, longestBack := 0, 0
	for _, s := range c.Servers {
		for _, n := range s.Names {
			switch {
			case n == host:
				return s
			case strings.HasPrefix(n, "."):
				if (strings.HasSuffix(host, n) || host == n[1:]) && len(n) > longest {
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
	if front != nil {
		return front
	}
	return back
}
