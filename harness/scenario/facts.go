package scenario

import "github.com/nolive/nolive/proxy/nginxconf"

// Facts are what the requests of a traffic show a proxy of themselves. Clients
// here connect over loopback, so `ip_hash` sends them all to one server.
func (t *Traffic) Facts() nginxconf.Facts {
	return nginxconf.Facts{
		Method: t.Method, Target: t.Path, RemoteAddr: "127.0.0.1", BinaryAddr: []byte{127, 0, 0, 1},
		Headers: func(yield func(name, value string)) {
			for _, h := range t.Headers {
				yield(h.Name, h.Value)
			}
		},
	}
}
