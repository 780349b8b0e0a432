package scenario

import (
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/proxy/nginxconf"
	"github.com/nolive/nolive/proxy/upstream"
	"github.com/nolive/nolive/proxy/wire"
)

// Redirects are what the backends of an upstream may say in X-Accel-Redirect, by which
// nginx sends a request elsewhere instead of passing their response on.
func (s *Scenario) Redirects(u *upstream.Config) []string {
	var out []string
	for _, server := range u.Servers {
		for i := range s.Backends {
			b := &s.Backends[i]
			if b.Name != server.Name {
				continue
			}
			for j := range b.Rules {
				if to, ok := redirect(&b.Rules[j].Do); ok && !slices.Contains(out, to) {
					out = append(out, to)
				}
			}
		}
	}
	return out
}

// Longest is how long the proxy may have a request, as far as its time-outs bound it.
func (s *Scenario) Longest() time.Duration {
	for i := range s.Backends {
		for _, r := range s.Backends[i].Rules {
			if _, ok := redirect(&r.Do); ok {
				return s.Nginx.LongestWay()
			}
		}
	}
	return s.Nginx.Longest()
}

// longest is Scenario.Longest before the backends are resolved.
func (r *resolver) longest() time.Duration {
	if r.redirected() {
		return r.cfg.LongestWay()
	}
	return r.cfg.Longest()
}

// redirected says whether a backend sends requests elsewhere: with another path, and as
// GETs.
func (r *resolver) redirected() bool {
	for _, b := range r.form.Backends {
		for i := 0; b != nil && i < len(b.Rules); i++ {
			if _, ok := redirect(&b.Rules[i].Do.Fault); ok {
				return true
			}
		}
	}
	return false
}

// redirect is what a fault's response says in X-Accel-Redirect.
func redirect(f *fault.Fault) (to string, ok bool) {
	head := headOf(f)
	return string(head.Redirect), head.Redirects
}

// headOf is the head of a fault's response as nginx reads it.
func headOf(f *fault.Fault) *wire.Head {
	h := &wire.Head{}
	h.Reset(upstream.Version{})
	h.Scan(f.Script.Response.Head)
	return h
}

// limited warns of a response that only a real nginx sends slowly, because its backend
// wants that (ngx_http_upstream_process_limit_rate).
func (r *resolver) limited(n *yaml.Node, backend string, f *fault.Fault, addresses []string) {
	const header = "X-Accel-Limit-Rate"
	if r.cfg == nil || len(r.s.Engines) == 1 && r.s.Engines[0] == "nginx" {
		return
	}
	slow := slices.ContainsFunc(headOf(f).Fields, func(f wire.Field) bool {
		rate, ok := wire.Number(f.Value)
		return ok && rate > 0 && wire.Is(f.Name, header)
	})
	heeded := false
	r.cfg.Passes(func(p *nginxconf.Pass) {
		asks := slices.ContainsFunc(p.Upstream.Servers, func(s upstream.Server) bool { return slices.Contains(addresses, s.Name) })
		heeded = heeded || asks && !p.Ignores(strings.ToLower(header))
	})
	if slow && heeded {
		r.warn(Problem{Pos: r.pos(n.Line, n.Column), Hint: "add engines: [nginx]",
			Text: backend + ": only nginx sends a response as slowly as " + header + " says; the other engines send it at once"})
	}
}
