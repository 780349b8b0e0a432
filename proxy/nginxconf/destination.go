package nginxconf

import (
	"slices"
	"strings"
)

// Destination is where a client connects and what it names there.
type Destination struct {
	// Server takes the request, Stream the connection; both are nil where nothing
	// has that address or name.
	Server *Server
	Stream *StreamServer
	// Listen is the address that the client connects to, as written.
	Listen string
	// Name is the server_name that the client's Host header names, "" for the
	// address that it connects to.
	Name string
	// Host is the request's host as nginx reads it.
	Host string
	// Refused is true where nginx answers the host with 400, at its default server.
	Refused bool
	// TLS is true where connections begin with a handshake.
	TLS bool
}

// loopback is where the proxies under test listen.
const loopback = "127.0.0.1"

// Destination finds where to leads: a listen address as written, a server_name,
// both as name:port, or "" for the first listen. host is the Host header that the
// client sends whatever to says, "" for none.
func (c *Config) Destination(to, host string) Destination {
	d := Destination{Listen: to}
	switch {
	case to == "" && len(c.Servers) > 0:
		d.Listen = c.Servers[0].Listens[0].Address
	case to != "" && c.defaultServer(to) != nil:
	case c.Stream(to) != nil:
		s := c.Stream(to)
		if to == "" {
			d.Listen = s.Listens[0].Address
		}
		return Destination{Stream: s, Listen: d.Listen}
	default:
		if !c.byName(strings.ToLower(to), &d) {
			return Destination{}
		}
	}
	d.Host = loopback
	if d.Name != "" {
		d.Host = d.Name
	}
	if host != "" {
		var ok bool
		d.Host, ok = HostOf(c.Version, host)
		d.Refused = !ok
	}
	port := c.Port(d.Listen)
	if d.Server, d.TLS = port.Server(d.Host), c.encrypted(d.Listen); d.Refused {
		d.Server = port.Default()
	}
	return d
}

// byName finds the listen of a server by its name, or by name:port.
func (c *Config) byName(to string, d *Destination) bool {
	if s := named(c.Servers, to); s != nil {
		d.Name, d.Listen = to, c.plainest(s)
		return true
	}
	i := strings.LastIndexByte(to, ':')
	if i < 0 || number(to[i+1:]) < 0 {
		return false
	}
	for _, s := range c.Servers {
		if named([]*Server{s}, to[:i]) == nil {
			continue
		}
		for _, l := range s.Listens {
			if a, err := parseAddress(l.Address, 80, forListen); err == "" && int64(a.port) == number(to[i+1:]) {
				d.Name, d.Listen = to[:i], l.Address
				return true
			}
		}
	}
	return false
}

// plainest is the listen of a server that clients are sent to who ask for its name
// alone: the first without TLS, else the first.
func (c *Config) plainest(s *Server) string {
	for _, l := range s.Listens {
		if !c.encrypted(l.Address) {
			return l.Address
		}
	}
	return s.Listens[0].Address
}

// encrypted says whether any server wants TLS at a listen address: then all do.
func (c *Config) encrypted(listen string) bool {
	at := canonicalListen(listen)
	for _, s := range c.Servers {
		for _, l := range s.Listens {
			if slices.Contains(l.Parameters, "ssl") && canonicalListen(l.Address) == at {
				return true
			}
		}
	}
	return false
}
