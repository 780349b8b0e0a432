package live

import (
	"slices"
	"strings"

	"github.com/nolive/nolive/backends/certs"
	"github.com/nolive/nolive/proxy/nginxconf"
)

// secure are the certificates of a run: those of its backends that are reached by
// https, by name, and the authority's own. Without such there are none.
type secure struct {
	sets map[string]*certs.Set
	ca   []byte
}

// newSecure makes the certificates that a configuration needs. address is where
// the backends are: nginx gets it in the place of a literal host.
func newSecure(cfg *nginxconf.Config, address string) (secure, error) {
	names := secureNames(cfg)
	if len(names) == 0 {
		return secure{}, nil
	}
	authority, err := certs.NewAuthority()
	if err != nil {
		return secure{}, err
	}
	s := secure{sets: map[string]*certs.Set{}, ca: authority.PEM()}
	for backend, known := range names {
		if s.sets[backend], err = authority.Issue(append(known, address)); err != nil {
			return secure{}, err
		}
	}
	return s, nil
}

// secureNames are the names by which a proxy knows the backends that it reaches
// by https: what stands in proxy_pass, without a port (ngx_http_upstream_ssl_name).
func secureNames(cfg *nginxconf.Config) map[string][]string {
	names := map[string][]string{}
	cfg.Passes(func(p *nginxconf.Pass) {
		if !p.TLS {
			return
		}
		host, _, _ := strings.Cut(p.Upstream.Name, ":")
		for _, peer := range p.Upstream.Servers {
			if !slices.Contains(names[peer.Name], host) {
				names[peer.Name] = append(names[peer.Name], host)
			}
		}
	})
	return names
}
