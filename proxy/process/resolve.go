package process

import (
	"context"
	"net"
	"net/netip"
	"strings"
	"time"

	"github.com/nolive/nolive/proxy/nginxconf"
	"github.com/nolive/nolive/proxy/upstream"
)

// lookUpPatience bounds one look-up of a name; nginx would wait for as long as
// the resolver does.
const lookUpPatience = 30 * time.Second

// resolve looks every backend up: each address of a name is one peer, with the
// parameters of its line (ngx_inet_resolve_host). Peers are called by their
// addresses from then on, as in nginx's logs; what `hash ... consistent` hashes
// is still the text of the configuration.
func (c *configuration) resolve() error {
	c.backends = map[string]string{}
	for _, u := range c.Upstreams {
		var peers []upstream.Server
		for _, s := range u.Servers {
			addresses, err := lookUp(s.Name)
			if err != nil {
				return refuse("%s in upstream \"%s\"%s", err, s.Name, c.where(func(d *nginxconf.Directive) bool {
					return d.Name.Text == "server" && d.Block == nil && d.Arg(0) == s.Name || d.Name.Text == "proxy_pass" && strings.Contains(d.Arg(0), s.Name)
				}))
			}
			for _, a := range addresses {
				p := s
				p.Name, p.Address = a, s.Name
				peers = append(peers, p)
				c.backends[a] = a
			}
		}
		u.Servers = peers
	}
	return nil
}

// lookUp returns the addresses of a backend, each host:port or unix:/path.
func lookUp(name string) ([]string, error) {
	e := nginxconf.BackendEndpoint(name)
	if e.Unix != "" {
		return []string{"unix:" + e.Unix}, nil
	}
	ips, err := addressesOf(e.Host)
	if err != nil {
		return nil, err
	}
	out := make([]string, len(ips))
	for i, ip := range ips {
		out[i] = netip.AddrPortFrom(ip, uint16(e.Port)).String()
	}
	return out, nil
}

// errNotFound is nginx's word for a name without an address.
type errNotFound struct{}

func (errNotFound) Error() string { return "host not found" }

// addressesOf looks a host up.
func addressesOf(host string) ([]netip.Addr, error) {
	if ip, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return []netip.Addr{ip}, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), lookUpPatience)
	defer cancel()
	all, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil || len(all) == 0 {
		return nil, errNotFound{}
	}
	v4, v6 := families()
	out := all[:0]
	for _, ip := range all {
		if ip = ip.Unmap(); v4 == v6 || ip.Is4() == v4 {
			out = append(out, ip)
		}
	}
	if len(out) == 0 {
		return nil, errNotFound{}
	}
	return out, nil
}

// families says whether the machine has addresses of a family, loopback apart:
// getaddrinfo with AI_ADDRCONFIG gives none of a family that it has none of.
func families() (v4, v6 bool) {
	all, err := net.InterfaceAddrs()
	if err != nil {
		return true, true
	}
	for _, a := range all {
		p, err := netip.ParsePrefix(a.String())
		if err != nil || p.Addr().IsLoopback() {
			continue
		}
		if p.Addr().Unmap().Is4() {
			v4 = true
		} else {
			v6 = true
		}
	}
	return v4, v6
}

// where is " in FILE:LINE" for the first directive that is meant.
func (c *configuration) where(meant func(*nginxconf.Directive) bool) string {
	var found string
	var walk func([]*nginxconf.Directive)
	walk = func(ds []*nginxconf.Directive) {
		for _, d := range ds {
			if found == "" && meant(d) {
				found = " in " + spot(d.File.Pos(d.Span.End-1))
			}
			walk(d.Children())
		}
	}
	walk(c.Tree.Top())
	return found
}
