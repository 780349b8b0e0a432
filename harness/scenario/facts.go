package scenario

import (
	"strings"

	"github.com/nolive/nolive/proxy/nginxconf"
	"github.com/nolive/nolive/proxy/variable"
)

// Facts are what the requests of a traffic show a proxy of themselves. Clients
// here connect over loopback, so `ip_hash` sends them all to one server.
func (t *Traffic) Facts() variable.Request {
	rq := nginxconf.Request(t.Method, t.Path)
	rq.Client = variable.Address{IP: "127.0.0.1", Binary: []byte{127, 0, 0, 1}}
	rq.Header = func(yield func(name, value []byte) bool) {
		for _, h := range t.Headers {
			// nginx drops a header whose name isn't letters, digits and "-"
			// (ignore_invalid_headers on, underscores_in_headers off).
			if strings.ContainsRune(h.Name, '_') {
				continue
			}
			if !yield([]byte(h.Name), []byte(strings.Trim(h.Value, " "))) {
				return
			}
		}
	}
	return rq
}
