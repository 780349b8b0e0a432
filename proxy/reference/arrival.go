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
		ID: c.rq.id, Method: c.rq.method, Worker: c.workerNumber(), Policy: pass.Policy, Seed: c.proxy.roster.seed,
	}
	switch u := pass.Upstream; u.Method {
	case upstream.IPHash:
		a.ClientAddr = pass.Client(c.remote(), header(c.rq.fields)).AsSlice()
	case upstream.Hash, upstream.ConsistentHash:
		a.Key = c.hashed(pass)
	}
	return a
}

// hashed is the value of the block's key.
func (c *client) hashed(pass *nginxconf.Pass) string {
	rq := nginxconf.Request(c.rq.method, string(c.rq.target))
	rq.Header = header(c.rq.fields)
	pass.Identify(&rq, c.remote())
	return pass.Upstream.Key.Value(&rq)
}

// header is the fields for variables.
func header(fields []field) variable.Header {
	return func(yield func(name, value []byte) bool) {
		for _, f := range fields {
			if !yield(f.name, f.value) {
				return
			}
		}
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
