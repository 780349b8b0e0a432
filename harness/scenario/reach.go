package scenario

import (
	"github.com/nolive/nolive/proxy/nginxconf"
	"github.com/nolive/nolive/proxy/upstream"
)

// maxAddresses is how many addresses of clients are looked at where a request's
// way depends on its client's; with more of them anything may be reached.
const maxAddresses = 1024

// reach makes the configuration one of what the traffic can come to, and warns of
// what of that only a real nginx can do. A directive that no request comes to
// can't matter, however little is known of it.
func (r *resolver) reach() {
	if r.cfg == nil {
		return
	}
	r.s.Nginx = narrowed(r.cfg.Config, r.s.Traffic, r.s.Redirects)
	if len(r.s.Engines) == 1 && r.s.Engines[0] == "nginx" {
		return
	}
	for _, n := range r.s.Nginx.NginxOnly {
		r.warn(Problem{Pos: r.cfg.place(n.Pos), Text: "runs on nginx only, because " + n.Text, Hint: "add engines: [nginx]"})
	}
}

// narrowed is a configuration as the requests of some traffic see it; redirects are where
// backends send them.
func narrowed(c *nginxconf.Config, traffic []Traffic, redirects func(*upstream.Config) []string) *nginxconf.Config {
	reach := c.NewReach()
	reach.Redirects(redirects)
	for i := range traffic {
		t := &traffic[i]
		to, length := t.Destination(c), t.Body
		if length == 0 || t.Chunked {
			length = -1
		}
		for from, ok := range t.origins(c.ByAddress()) {
			if !ok {
				reach.All()
				break
			}
			reach.Request(to, t.Facts(from, nil), length)
		}
	}
	return reach.Config()
}

// origins yields the addresses that the traffic's clients may have, one of them
// where it doesn't matter which. The last one is false where there are too many.
func (t *Traffic) origins(matters bool) func(func(Address, bool) bool) {
	as := t.Client.Addresses
	return func(yield func(Address, bool) bool) {
		switch total := as.count(); {
		case len(as) == 0:
			yield(Loopback, true)
		case !matters:
			yield(as[0].First, true)
		case total > maxAddresses:
			yield(Address{}, false)
		default:
			for n := range total {
				if !yield(as.nth(n), true) {
					return
				}
			}
		}
	}
}

// unanswered says whether a traffic's requests come to no backend and to nothing
// that only a real nginx can do.
func (r *resolver) unanswered(to nginxconf.Destination, t *Traffic) bool {
	_, step := r.cfg.Route(t.To, t.Path)
	return step.Answer.Nobody && len(narrowed(r.cfg.Config, []Traffic{*t}, nil).NginxOnly) == 0
}
