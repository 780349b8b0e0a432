package live

import (
	"fmt"
	"net"
	"net/netip"

	"github.com/nolive/nolive/proxy/nginxconf"
)

// target is where the clients of a traffic connect.
type target struct {
	// dial is the proxy's address, host the value of the Host header. Without a
	// server_name that is the address itself, which is nobody's name, so the
	// listen's default server answers.
	dial, host string
	// stream is true for a stream server's, tls where connections begin with a
	// handshake, for the server that name says.
	stream, tls bool
	name        string
}

// findTarget reads `to`, as nginxconf.Destination does.
func findTarget(c *nginxconf.Config, to string, address func(listen string) string) (target, error) {
	d := c.Destination(to, "")
	if d.Server == nil && d.Stream == nil {
		return target{}, fmt.Errorf("to %q: no listen and no server_name is called that", to)
	}
	where := address(d.Listen)
	dial, err := resolve(where)
	if err != nil {
		return target{}, fmt.Errorf("listen %s at %q: %w", d.Listen, where, err)
	}
	t := target{dial: dial, host: where, stream: d.Stream != nil, tls: d.TLS, name: d.Name}
	if d.Name != "" {
		t.host = d.Name
	}
	return t, nil
}

// resolve is the proxy's address with a literal IP, so that dialing it looks
// nothing up.
func resolve(address string) (string, error) {
	if _, err := netip.ParseAddrPort(address); err == nil {
		return address, nil
	}
	tcp, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		return "", err
	}
	return tcp.String(), nil
}
