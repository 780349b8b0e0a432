//go:build e2e

package balancers

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/nolive/nolive/harness/scenario"
)

// clients is a scenario with clients from everywhere: whole networks, users with
// addresses of their own, and some whose address a header tells.
func clients(directive string) *scenario.File {
	// Without connections to backends that are kept: many requests come at once, and
	// which of them finds an idle one is a matter of chance.
	src := `name: clients
nginx_version: "1.22"
max_speed: 3
proxy:
  nginx: |
    upstream app {
      ` + directive + `
      server app1:8080 weight=3;
      server app2:8080;
      server app3:8080 down;
      server app4:8080;
      server app5:8080;
      server app6:8080;
    }
    server {
      location / { proxy_pass http://app; }
      location /real { set_real_ip_from 127.0.0.0/16; proxy_pass http://app; }
    }
    server {
      listen 8080;
      set_real_ip_from 127.0.0.0/8;
      set_real_ip_from 10.0.0.0/8;
      real_ip_header X-Forwarded-For;
      real_ip_recursive on;
      location / { proxy_pass http://app; }
      location /own { set_real_ip_from 10.0.0.0/8; real_ip_header X-Client; proxy_pass http://app; }
    }
traffic:
  everywhere: {request: GET /, rate: 8/s, for: 5s, client: {address: 127.0.0.0/8}}
  near: {request: GET /, rate: 4/s, for: 5s, client: {address: 127.0.0.1..127.0.3.255}}
  users: {request: GET /, users: 12, times: 3, pause: 1s, start: 0s..2s, client: {address: [127.9.0.0/16, 127.10.10.10], keepalive: true}}
  seven: {request: GET /, times: 2, client: {address: 127.0.0.7}}
`
	for i, header := range []string{"192.0.2.1", "198.51.100.7", "203.0.113.99:4711", "2001:db8::17", "nobody"} {
		src += fmt.Sprintf("  real%d: {request: GET /real, times: 2, headers: {X-Real-IP: \"%s\"}, client: {address: 127.0.0.9}}\n", i, header)
		src += fmt.Sprintf("  liar%d: {request: GET /real, times: 2, headers: {X-Real-IP: \"%s\"}, client: {address: 127.1.0.9}}\n", i, header)
		src += fmt.Sprintf("  chain%d: {request: GET /, to: \"8080\", times: 2, headers: {X-Forwarded-For: [\"1.2.3.4, %s\", \"10.9.9.9, 10.1.1.1\"]}, client: {address: 127.7.7.7}}\n", i, header)
		src += fmt.Sprintf("  own%d: {request: GET /own, to: \"8080\", times: 2, headers: {X-Client: \"%s\"}, client: {address: 127.0.0.0/24}}\n", i, header)
	}
	src += `expect:
  - fan_out: {of: everywhere, each: 1}
`
	f, problems := scenario.Parse("clients.yaml", []byte(src), nil)
	Expect(problems.Err()).NotTo(HaveOccurred(), "%s", src)
	Expect(f.Scenarios[0].Nginx.NginxOnly).To(BeEmpty())
	return f
}

var _ = Describe("The client's address", func() {
	for _, directive := range []string{"ip_hash;", "hash $remote_addr;", "hash $binary_remote_addr;", "hash $remote_addr$realip_remote_addr consistent;"} {
		hold("reaches the peer that nginx sends it to: "+directive, func() *scenario.File { return clients(directive) })
	}
})
