package live

import (
	"fmt"
	"net"
	"net/netip"
	"slices"

	"github.com/nolive/nolive/proxy/nginxconf"
)

// target is where a traffic goes: a listen directive as written, and the name
// for the Host header, "" for the address itself, which is nobody's server_name
// and so meets the listen's default server.
type target struct{ listen, name string }

// findTarget reads `to`: a listen address as written, a server_name, or "" for
// the first listen's default server.
func findTarget(c *nginxconf.Config, to, path string) (target, error) {
	server, _ := c.Route(to, path)
	if server == nil {
		return target{}, fmt.Errorf("to %q: no listen and no server_name is called that", to)
	}
	if to == "" {
		return target{listen: firstListen(c.Servers[0])}, nil
	}
	for _, l := range server.Listens {
		if l.Address == to && !slices.Contains(server.Names, to) {
			return target{listen: to}, nil
		}
	}
	return target{listen: firstListen(server), name: to}, nil
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
