package container

import "fmt"

// Network is how a container and this machine reach each other.
type Network string

const (
	// Auto is Host where the engine shares this machine's network, else Bridge.
	Auto Network = ""
	// Host is this machine's own network: all traffic stays on 127.0.0.1.
	Host Network = "host"
	// Bridge is Docker's bridge: the ports of nginx are published on 127.0.0.1,
	// and nginx finds the backends at host-gateway. It sees the bridge's address
	// as every client's, so what depends on $remote_addr, such as ip_hash, may
	// pick other peers than on 127.0.0.1.
	Bridge Network = "bridge"
)

// ParseNetwork reads "host", "bridge" or "auto".
func ParseNetwork(s string) (Network, error) {
	switch n := Network(s); n {
	case Auto, Host, Bridge:
		return n, nil
	case "auto":
		return Auto, nil
	}
	return Auto, fmt.Errorf("want host, bridge or auto, got %q", s)
}
