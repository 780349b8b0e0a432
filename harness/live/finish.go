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
// of the run although the last client has its answer. It may take as long as two passes
// (the second where an error page or a backend sends the request elsewhere) and a backend
// can; what has no end is ended then.
func (t *try) finish(ctx context.Context) {
	p, ok := t.proxy.(Finisher)
	if !ok || !ignoresClients(t.o.Plan.Scenario.Nginx) {
		return
	}
	left := t.flight.left()
	if len(left) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, t.clock.Real(2*t.o.Plan.Scenario.Nginx.Longest()+longestScript(t.o.Plan)))
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
