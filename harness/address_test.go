package harness_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/scenario"
)

// Who is asked follows the client's address: of its connection, or of the header
// that a trusted proxy sends. Both engines take the same draws.
func TestAddressesPickPeers(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has all of 127.0.0.0/8")
	}
	// Without connections that are kept: whether one is free is a matter of
	// microseconds on sockets.
	const text = `name: clients
nginx_version: "1.22"
proxy:
  nginx: |
    upstream app {
      %s;
      server app1; server app2 weight=3; server app3; server app4; server app5;
    }
    server {
      location / { proxy_pass http://app; }
      location /behind { set_real_ip_from 127.0.0.1; proxy_pass http://app; }
    }
traffic:
  open: {request: GET /, rate: 20/s, for: 2s, client: {address: 127.0.0.0/8}}
  users: {request: GET /, users: 8, times: 3, client: {address: [127.1.0.0/16, 127.2.2.2]}}
  one: {request: GET /, times: 3, client: {address: 127.0.77.9}}
  behind: {request: GET /behind, headers: {X-Real-IP: 127.0.77.200}, times: 3}
  liar: {request: GET /behind, headers: {X-Real-IP: 127.0.77.200}, times: 3, client: {address: 127.0.0.2}}
expect:
  - log: {contains: x, count: 0}
`
	for _, method := range []string{"ip_hash", "hash $remote_addr", "hash $binary_remote_addr consistent"} {
		t.Run(method, func(t *testing.T) {
			f, ps := scenario.Parse("clients.yaml", []byte(fmt.Sprintf(text, method)), nil)
			if err := ps.Err(); err != nil {
				t.Fatal(err)
			}
			if only := f.Scenarios[0].Nginx.NginxOnly; len(only) > 0 {
				t.Fatal(only)
			}
			sim, err := harness.Run(context.Background(), f.Scenarios[0], harness.Sim)
			if err != nil {
				t.Fatal(err)
			}
			reference, err := harness.Runner{Speed: 10}.Run(context.Background(), f.Scenarios[0], harness.Reference)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range harness.Compare(sim, reference) {
				t.Error("sim, reference: ", d)
			}
			peers := map[string]map[string]bool{}
			for _, e := range sim.Events {
				if e.Kind == event.AttemptStarted {
					if peers[e.Request.Traffic] == nil {
						peers[e.Request.Traffic] = map[string]bool{}
					}
					peers[e.Request.Traffic][e.Peer] = true
				}
			}
			if len(peers["open"]) < 4 || len(peers["users"]) < 2 || len(peers["one"]) != 1 || len(peers["behind"]) != 1 || len(peers["liar"]) != 1 {
				t.Errorf("%v", peers)
			}
			for _, u := range sim.Replay() {
				if u.Different > 0 {
					t.Errorf("the replay of the simulator's own run: %v", u.First)
				}
			}
			if method == "ip_hash" && fmt.Sprint(peers["one"]) != fmt.Sprint(peers["behind"]) {
				t.Errorf("127.0.77.9 went to %v, 127.0.77.200 of the same /24 to %v", peers["one"], peers["behind"])
			}
		})
	}
}
