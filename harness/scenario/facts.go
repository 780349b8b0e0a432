package scenario

import (
	"net/netip"
	"strings"

	"github.com/nolive/nolive/proxy/nginxconf"
	"github.com/nolive/nolive/proxy/variable"
)

// Destination is where the traffic's clients connect and what they name there. A
// Host header of their own counts.
func (t *Traffic) Destination(c *nginxconf.Config) nginxconf.Destination {
	host := ""
	var once nginxconf.Unique
	repeats := false
	for _, h := range t.Headers {
		if strings.EqualFold(h.Name, "Host") && host == "" {
			host = h.Value
		}
		repeats = once.Repeats(c.Version, []byte(h.Name)) || repeats
	}
	d := c.Destination(t.To, host)
	d.Refused = d.Refused || repeats && d.Server != nil
	return d
}

// Facts are what a request of a traffic, sent from an address, shows a proxy of
// itself. pass says whom its headers make of the client; it may be nil.
func (t *Traffic) Facts(from Address, pass *nginxconf.Pass) variable.Request {
	rq := nginxconf.Request(t.Method, t.Path)
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
	pass.Identify(&rq, netip.AddrFrom4(from))
	return rq
}
