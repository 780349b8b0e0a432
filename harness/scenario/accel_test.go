package scenario

import (
	"strings"
	"testing"
)

// What only nginx does about a backend's header is told, where nginx heeds it.
func TestAccelLimitRateIsTold(t *testing.T) {
	const src = `name: x
proxy:
  nginx: |
    upstream u { server a:1; server b:1; }
    server { location / { proxy_pass http://u; DIRECTIVES } }
backends:
  a:1:
    - do: {respond: {headers: {X-Accel-Limit-Rate: RATE}}}
traffic:
  t: {request: GET /, rate: 1/s, for: 60s}
expect:
  - status: {of: t, is: 200}
`
	const told = "x.yaml:8:7: a:1: only nginx sends a response as slowly as X-Accel-Limit-Rate says; the other engines send it at once (add engines: [nginx])"
	for _, tt := range []struct {
		rate, directives, more string
		want                   int
	}{
		{"1000", "", "", 1},
		{"0", "", "", 0},
		{"fast", "", "", 0},
		{"1000", "proxy_ignore_headers X-Accel-Limit-Rate;", "", 0},
		{"1000", "proxy_ignore_headers X-Accel-Redirect;", "", 1},
		{"1000", "", "engines: [nginx]\n", 0},
	} {
		f := parse(t, strings.NewReplacer("RATE", tt.rate, "DIRECTIVES", tt.directives).Replace(src)+tt.more)
		if len(f.Warnings) != tt.want || tt.want > 0 && f.Warnings[0].String() != told {
			t.Errorf("rate %s, %q %q: got %v", tt.rate, tt.directives, tt.more, f.Warnings)
		}
	}
}

// Where a backend sends requests elsewhere, what matters there matters to the scenario,
// and a request may be under way for as long as both passes take.
func TestAccelRedirectReaches(t *testing.T) {
	const src = `name: x
proxy:
  nginx: |
    upstream u { server a:1; }
    server {
      location / { proxy_pass http://u; }
      location /in { internal; LIMIT proxy_pass http://s:1; }
    }
backends:
  a:1:
    - do: {respond: {headers: {X-Accel-Redirect: TO}}}
traffic:
  t: {request: GET /, rate: 1/s, for: 60s}
expect:
  - status: {of: t, is: 200}
`
	for to, reached := range map[string]int{"/in/x": 1, "/": 0} {
		s := parse(t, strings.NewReplacer("LIMIT", "limit_rate 1k;", "TO", to).Replace(src)).Scenarios[0]
		if got := len(s.Nginx.NginxOnly); got != reached {
			t.Errorf("%s: %v", to, s.Nginx.NginxOnly)
		}
	}
	once := parse(t, strings.NewReplacer("LIMIT", "", "X-Accel-Redirect", "X-Other", "TO", "x").Replace(src)).Scenarios[0].Longest()
	twice := parse(t, strings.NewReplacer("LIMIT", "", "TO", "/in").Replace(src)).Scenarios[0].Longest()
	if twice != 2*once {
		t.Errorf("it may take %v, and %v where a backend sends it elsewhere", once, twice)
	}
}

// Where a backend sends requests elsewhere, a rule may be for what no traffic asks.
func TestAccelRedirectAsksForOtherThings(t *testing.T) {
	const src = `name: x
proxy:
  nginx: |
    upstream u { server a:1; }
    server { location / { proxy_pass http://u; } location /in { internal; proxy_pass http://s:1; } }
backends:
  a:1:
    - do: {respond: {headers: {HEADER: /in/x}}}
  s:1:
    - when: {method: GET, path: /in/*}
      do: reset
traffic:
  t: {request: POST /, rate: 1/s, for: 60s}
expect:
  - status: {of: t, is: 502}
`
	f, problems := Parse("x.yaml", []byte(strings.Replace(src, "HEADER", "X-Accel-Redirect", 1)), nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if len(f.Warnings) > 0 {
		t.Errorf("got %v", f.Warnings)
	}
	if _, problems := Parse("x.yaml", []byte(strings.Replace(src, "HEADER", "X-Other", 1)), nil); len(problems) != 1 {
		t.Errorf("without the header: got %v", problems)
	}
}
