package live

import (
	"context"

	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/nginxconf"
)

// Finisher is a Proxy that knows when it is done with a request that nobody waits for.
type Finisher interface {
	// Finish returns when the proxy is done with the requests, or ctx ends.
	Finish(ctx context.Context, requests []event.Request)
}

// finish lets the proxy go on with the requests of clients that have left, which
// proxy_ignore_client_abort makes it do: what it tries then, and whom it marks, is part
// of the run although the last client has its answer. It may take as long as a request
// and a backend can, and whoever never ends is ended then.
func (t *try) finish(ctx context.Context, l *load) {
	p, ok := t.proxy.(Finisher)
	if !ok || !ignoresClients(t.o.Plan.Scenario.Nginx) {
		return
	}
	left := t.record.deserted(l)
	if len(left) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, t.clock.Real(t.patience-grace))
	defer cancel()
	p.Finish(ctx, left)
}

// ignoresClients says whether something of the configuration goes on for a client that
// has left.
func ignoresClients(c *nginxconf.Config) bool {
	ignores := false
	c.Passes(func(p *nginxconf.Pass) { ignores = ignores || p.IgnoreClientAbort })
	return ignores
}

// deserted are the requests through http whose clients have left so far.
func (r *recorder) deserted(l *load) []event.Request {
	sessions := map[string]bool{}
	for _, c := range l.clients {
		sessions[c.spec.Name] = c.sessions != nil
	}
	var left []event.Request
	for _, e := range r.all() {
		if e.Kind == event.ResponseEnded && e.Outcome == event.ClientTimeout && !sessions[e.Request.Traffic] {
			left = append(left, e.Request)
		}
	}
	return left
}
