package catalogue

import (
	"fmt"
	"strings"
)

// Group is an upstream block with a location and a traffic of its own. Its first
// server has a fault, the others behave well.
type Group struct {
	// Entry is what the first server does.
	Entry
	// Name of the group, its location and its traffic; servers are NAME-a, NAME-b.
	Name string
	// Servers is how many there are.
	Servers int
	// Method and Body of its requests, the body's size in bytes.
	Method string
	Body   int
	// Load is when they are sent, as keys of a traffic.
	Load string
	// Scheme by which it is reached, and Block, what its upstream block says beside
	// the servers.
	Scheme, Block string
	// Sockets is true when its servers listen on unix sockets.
	Sockets bool
}

// server is the address of a server.
func (g Group) server(letter rune) string {
	name := g.Name + "-" + string(letter)
	if g.Sockets {
		return "unix:/run/" + name + ".sock"
	}
	return name
}

// Write is a scenario with all the groups; tail is what comes behind its traffic.
func Write(name string, groups []Group, tail string) string {
	var blocks, locations, backends, traffic strings.Builder
	for _, g := range groups {
		var servers strings.Builder
		for n := range g.Servers {
			fmt.Fprintf(&servers, "server %s; ", g.server(rune('a'+n)))
		}
		location, client := g.around()
		fmt.Fprintf(&blocks, "    upstream %s { %s%s}\n", g.Name, servers.String(), g.Block)
		fmt.Fprintf(&locations, "      location = /%s { proxy_pass %s://%s; %s}\n", g.Name, g.Scheme, g.Name, location)
		// A barrier is that of the group's own server.
		do := strings.ReplaceAll(g.Do, "backend: "+g.Name+"-a,", fmt.Sprintf("backend: %q,", g.server('a')))
		fmt.Fprintf(&backends, "  %s: [{do: %s}]\n", g.server('a'), do)
		fmt.Fprintf(&traffic, "  %s: {request: %s /%s, body: %d, %s%s}\n", g.Name, g.Method, g.Name, g.Body, g.Load, client)
	}
	return fmt.Sprintf(`name: %s
proxy:
  nginx: |
%s    server {
      listen 80;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_connect_timeout 1s;
      proxy_send_timeout 1s;
      proxy_read_timeout 1s;
%s    }
backends:
%straffic:
%s%s`, name, &blocks, &locations, &backends, &traffic, tail)
}

// around is what an example takes beside its server: directives of the location,
// and keys of the traffic.
func (e Entry) around() (location, traffic string) {
	if strings.HasPrefix(e.Name, "endless") {
		return "", ", client: {timeout: 470ms}" // or it would never end
	}
	if strings.HasPrefix(e.Name, "upgrade") {
		return "proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection upgrade; ", ", headers: {Upgrade: websocket, Connection: Upgrade}"
	}
	return "", ""
}
