//go:build e2e

// Package balancers holds the balancing methods of the model against those of
// the real nginx, request by request.
package balancers

import (
	"fmt"
	"strings"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/nolive/nolive/e2e/kit"
	"github.com/nolive/nolive/harness/scenario"
)

// balancers are the methods; the traffics' keys tell the peers apart.
var balancers = []struct {
	directive string
	// backup is true where the method takes a backup server.
	backup bool
	// counts is true where it is worth a look with attempts in flight.
	counts bool
}{
	{"least_conn;", true, true},
	{"ip_hash;", false, false},
	{"hash $request_uri;", false, true},
	{"hash $uri$http_x_user-$arg_id;", false, false},
	{"hash $arg_none;", false, false}, // an empty key
	{"hash $binary_remote_addr$request_method;", false, false},
	{"hash $request_uri consistent;", false, true},
	{"hash $http_x_user consistent;", false, false},
	{"random;", false, false},
	{"random two;", false, true},
	{"random two least_conn;", false, false},
}

// balanced is the scenario of a directive: weights, a server that is down, one
// that fails for a while, and one client after the other. With together their
// attempts overlap, and max_conns and what is in flight matter; no two things
// happen within 50 ms all the same.
func balanced(directive string, backup, together bool) *scenario.File {
	last := "server app5:8080 weight=2;"
	if backup {
		last = "server app5:8080 backup;"
	}
	var traffic strings.Builder
	for i := range 8 {
		fmt.Fprintf(&traffic, "\n  t%d: {request: \"GET /p%%20%d/../q%d?id=%d&x=1\", headers: {X-User: \"user %d\"}, ", i, i, i, i*7, i)
		if together {
			fmt.Fprintf(&traffic, "at: [%s]}", instants(50+100*i))
		} else {
			fmt.Fprintf(&traffic, "users: 1, times: 12, pause: 2s, start: %dms}", 50+100*i)
		}
	}
	slow := ""
	if together {
		slow = `
  "*":
    - do: {respond: {status: 200, after: 650ms}}`
	}
	// From 1.29.7 on blocks keep connections by themselves. All that happens in a second
	// stays in its first 800 ms, so that being late doesn't carry it over the edge.
	src := `name: balanced
nginx_version: "1.22"
max_speed: 3
proxy:
  nginx: |
    upstream app {
      ` + directive + `
      server app1:8080 weight=3 max_fails=2 fail_timeout=4s;
      server app2:8080 fail_timeout=3s;
      server app3:8080 down;
      server app4:8080 max_conns=1;
      ` + last + `
    }
    server { location / { proxy_next_upstream error timeout http_503; proxy_pass http://app; } }
backends:` + slow + `
  app1:8080:
    - when: {from: 5s, until: 9s}
      do: {status: 503}
  app2:8080:
    - when: {from: 7s, until: 16s}
      do: reset
  app4:8080:
    - when: {from: 12s, until: 15s}
      do: {status: 503}
traffic:` + traffic.String() + `
expect:
  - fan_out: {of: t0, each: 1..4}
`
	f, problems := scenario.Parse("balanced.yaml", []byte(src), nil)
	Expect(problems.Err()).NotTo(HaveOccurred(), "%s", src)
	Expect(f.Scenarios[0].Nginx.NginxOnly).To(BeEmpty())
	return f
}

func TestBalancers(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "the balancing methods on sim, reference and nginx", kit.Nginx, kit.Reference)
}

var _ = kit.JUnit("balancers")

var _ = BeforeSuite(begin)

var _ = Describe("The balancing methods", func() {
	for _, b := range balancers {
		hold("are nginx's own, one request at a time: "+b.directive, func() *scenario.File {
			return balanced(b.directive, b.backup, false)
		})
		if b.counts {
			hold("are nginx's own, several at a time: "+b.directive, func() *scenario.File {
				return balanced(b.directive, b.backup, true)
			})
		}
	}
})

// instants are a traffic's twelve, 3 s apart, from a number of milliseconds on.
func instants(ms int) string {
	var list []string
	for k := range 12 {
		list = append(list, fmt.Sprintf("%dms", ms+3000*k))
	}
	return strings.Join(list, ", ")
}
