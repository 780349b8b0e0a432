package live

import (
	"fmt"
	"net"
	"net/netip"

	"github.com/nolive/nolive/proxy/nginxconf"
)

// findTarget reads `to`: a listen address, a server_name, or "" for the first
// listen's default server; without any http server the first of stream. It returns the address of the proxy and the value of
// the Host header. Without a server_name that is the address itself, which is
// nobody's name, so the listen's default server answers.
func findTarget(c *nginxconf.Config, to, path string, address func(listen string) string) (dial, host string, err error) {
	server, _ := c.Route(to, path)
	if s := c.Stream(to); server == nil && s != nil {
		if to == "" {
			to = s.Listens[0].Address
		}
		dial, err := resolve(address(to))
		if err != nil {
			return "", "", fmt.Errorf("listen %s at %q: %w", to, address(to), err)
		}
		return dial, dial, nil
	}
	if server == nil {
		return "", "", fmt.Errorf("to %q: no listen and no server_name is called that", to)
	}
	listen, name := to, ""
	switch {
	case to == "":
		listen = firstListen(c.Servers[0])
	case address(to) == "":
		listen, name = firstListen(server), to
	}
	where := address(listen)
	if dial, err = resolve(where); err != nil {
		return "", "", fmt.Errorf("listen %s at %q: %w", listen, where, err)
	}
	if name == "" {
		name = where
	}
	return dial, name, nil
}

func firstListen(s *nginxconf.Server) string {
	if len(s.Listens) == 0 {
		return "80" // nginx's default
	}
	return s.Listens[0].Address
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
