package nginx

import (
	"fmt"
	"net"
)

// reach gives the addresses at which nginx finds the backends: they are ours,
// and where nginx runs on another network, our loopback has another address.
func (f Found) reach(backends map[string]string) (map[string]string, error) {
	if f.Loopback == "" {
		return backends, nil
	}
	out := make(map[string]string, len(backends))
	for name, address := range backends {
		if isUnix(address) { // of this machine's files, which are there too
			out[name] = address
			continue
		}
		host, port, err := net.SplitHostPort(address)
		if err != nil {
			return nil, fmt.Errorf("backend %s: %w", name, err)
		}
		if host == "127.0.0.1" {
			address = net.JoinHostPort(f.Loopback, port)
		}
		out[name] = address
	}
	return out, nil
}
