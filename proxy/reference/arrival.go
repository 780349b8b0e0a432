package reference

import (
	"net"
	"net/netip"

	"github.com/nolive/nolive/proxy/nginxconf"
	"github.com/nolive/nolive/proxy/upstream"
	"github.com/nolive/nolive/proxy/variable"
)

// arrival is the request as the model has to know it. It costs memory only
// where the server is picked by something of the request.
func (c *client) arrival(pass *nginxconf.Pass) upstream.Arrival {
	a := upstream.Arrival{
		ID: c.rq.id, Method: c.route.way.Method(), Worker: c.workerNumber(), Location: pass.Number, Policy: pass.Policy, Seed: c.proxy.roster.seed,
	}
	a.Policy.Unbuffered = c.coming() != nil
	switch u := pass.Upstream; u.Method {
	case upstream.IPHash:
		a.ClientAddr = pass.Client(c.remote(), c.vars.Header).AsSlice()
	case upstream.Hash, upstream.ConsistentHash:
		a.Key = c.route.way.Key(u)
	}
	return a
}

// facts is what variables are read from.
func (c *client) facts() *variable.Request {
	if c.account != nil {
		return &c.account.rq
	}
	return &c.vars
}

// identify notes who the request is from where that isn't who is connected.
func (c *client) identify(pass *nginxconf.Pass) {
	rq := c.facts()
	if peer := c.remote(); pass.Client(peer, rq.Header) != peer {
		pass.Identify(rq, peer)
		rq.Origin = c.self
	}
}

// remote is the address that the connection comes from.
func (c *client) remote() netip.Addr {
	a, ok := c.peer.(*net.TCPAddr)
	if !ok {
		return netip.Addr{}
	}
	return a.AddrPort().Addr().Unmap()
}
