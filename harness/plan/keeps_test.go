package plan

import (
	"testing"

	"github.com/nolive/nolive/harness/scenario"
)

// The usual map for upgrades closes a connection for who asks for none, and a
// backend keeps it for who does; it is known of each traffic.
func TestKeeps(t *testing.T) {
	const src = `name: a
nginx_version: "1.22"
proxy:
  nginx: |
    map $http_upgrade $connection_upgrade { default upgrade; '' close; }
    map $http_upgrade $or_nothing { default upgrade; '' ''; }
    upstream app { server app1; keepalive 8; }
    server {
      proxy_http_version 1.1;
      proxy_set_header Connection $connection_upgrade;
      location / { proxy_pass http://app; }
      location /kept { proxy_set_header Connection $or_nothing; proxy_pass http://app; }
    }
traffic:
  plain: {request: GET /, times: 2}
  upgrading: {request: GET /, times: 2, headers: {Upgrade: websocket}}
  kept: {request: GET /kept, times: 2}
expect: [{log: {contains: x, count: 0}}]
`
	f, ps := scenario.Parse("a.yaml", []byte(src), nil)
	if err := ps.Err(); err != nil {
		t.Fatal(err)
	}
	s := f.Scenarios[0]
	if len(s.Nginx.NginxOnly) > 0 {
		t.Errorf("nginx only: %v", s.Nginx.NginxOnly)
	}
	for i, want := range []bool{false, true, true} {
		tr := &New(s, 1).Traffic[i]
		if got := tr.Trip(s.Nginx, scenario.Loopback).Keeps(); got != want {
			t.Errorf("%s: kept %v, want %v", tr.Spec.Name, got, want)
		}
	}
}
