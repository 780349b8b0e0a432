package scenario

import (
	"strings"
	"testing"
)

// 499 is the first thing that one who knows nginx's log writes.
func TestAStatusThatNoClientSees(t *testing.T) {
	const src = `name: x
proxy: {nginx: "upstream u { server a; server b; } server { location / { proxy_pass http://u; } }"}
backends: {a:80: [{do: hang}], b:80: [{do: {status: 503}}]}
traffic: {t: {request: GET /, times: 3, client: {timeout: 2s}}}
expect:
  - share: {of: t, status: 499, is: 0%}
  - sequence: {of: t, status: [200, 444, 503]}
`
	lines := func(src string) (out []string) {
		for _, p := range parse(t, src).Warnings {
			out = append(out, p.String())
		}
		return out
	}
	src80 := strings.NewReplacer("server a;", "server a:80;", "server b;", "server b:80;").Replace(src)
	diff(t, "warnings", lines(src80), []string{
		"x.yaml:6:28: share: status: no client sees 499, which nginx logs of a client that left (client_timeout is what the client sees)",
		"x.yaml:7:31: sequence: status: no client sees 444, with which nginx closes the connection (closed is what the client sees)",
	})
	diff(t, "a backend's own 499", lines(strings.Replace(src80, "status: 503}", "status: 499}", 1))[0][:11], "x.yaml:7:31")
}
