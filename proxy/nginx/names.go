package nginx

import (
	"slices"
	"strings"

	"github.com/nolive/nolive/proxy/nginxconf"
	"github.com/nolive/nolive/proxy/upstream"
)

// names turns what nginx's logs say back into what the configuration says.
type names struct {
	backends    map[string]string // real address -> name
	hosts       []string          // of the real addresses, each with its ":"; or unix sockets
	upstreams   map[string]*upstream.Config
	order       []*upstream.Config
	dialect     dialect            // of the logs
	unannounced map[string][]int64 // Options.Unannounced
}

func newNames(c *nginxconf.Config, backends map[string]string) names {
	n := names{backends: make(map[string]string, len(backends)), upstreams: map[string]*upstream.Config{}}
	for name, address := range backends {
		n.backends[address] = name
		host := address // a unix socket's file, whose name no other begins with
		if !isUnix(address) {
			host = address[:strings.LastIndexByte(address, ':')+1]
		}
		if host != "" && !slices.Contains(n.hosts, host) {
			n.hosts = append(n.hosts, host)
		}
	}
	if c != nil {
		n.order = c.Upstreams
	}
	for _, u := range n.order {
		n.upstreams[u.Name] = u
	}
	return n
}

// isUnix says whether an address is a unix socket's.
func isUnix(address string) bool { return strings.HasPrefix(address, "unix:") }

// peer is the backend's name behind an address; the address itself for one that
// isn't ours.
func (n names) peer(address string) string {
	if name, ok := n.backends[address]; ok {
		return name
	}
	return address
}

// isUpstream says whether nginx wrote a block's name where it had no peer.
func (n names) isUpstream(addr string) bool {
	_, backend := n.backends[addr]
	return n.upstreams[addr] != nil && !backend
}

// of is the name of the upstream that an attempt belonged to. nginx's log has
// it only for the last run (host is $proxy_host) and where no peer was live;
// else the first upstream with that server is taken.
func (n names) of(host, peer string, last bool) string {
	if last && host != "" {
		if n.upstreams[host] != nil {
			return host
		}
		if name, ok := n.backends[host]; ok {
			return name
		}
	}
	for _, u := range n.order {
		for _, s := range u.Servers {
			if s.Name == peer {
				return u.Name
			}
		}
	}
	return host
}

// restore puts the names back in place of the addresses in a line of the error log.
func (n names) restore(message string) string {
	var b strings.Builder
	for {
		i, end := len(message), 0
		for _, h := range n.hosts {
			if j := strings.Index(message, h); j >= 0 && j < i {
				i, end = j, j+len(h)
			}
		}
		if end == 0 {
			break
		}
		for !isUnix(message[i:end]) && end < len(message) && message[end] >= '0' && message[end] <= '9' {
			end++
		}
		b.WriteString(message[:i])
		b.WriteString(n.peer(message[i:end]))
		message = message[end:]
	}
	b.WriteString(message)
	return b.String()
}
