package reference

import (
	"net"

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
		_, a.ClientAddr = c.remote()
	case upstream.Hash, upstream.ConsistentHash:
		a.Key = c.hashed(u)
	}
	return a
}

// hashed is the value of the block's key.
func (c *client) hashed(u *upstream.Config) string {
	text, bytes := c.remote()
	rq := nginxconf.Request(c.rq.method, string(c.rq.target))
	rq.Client = variable.Address{IP: text, Binary: bytes}
	rq.Header = header(c.rq.fields)
	return u.Key.Value(&rq)
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

// remote is the client's address as text and as 4 or 16 bytes.
func (c *client) remote() (string, []byte) {
	a, ok := c.peer.(*net.TCPAddr)
	if !ok {
		return "", nil
	}
	ip := a.AddrPort().Addr().Unmap()
	return ip.String(), ip.AsSlice()
}
