package sim_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/scenario"
)

// A backend that shuts down refuses who comes later and resets who waits to be
// accepted, whatever is spoken to it. The outcomes are those of nginx 1.22.1.
func TestShutdownRefusesOnEveryWay(t *testing.T) {
	stops := fault.Rules{
		{When: fault.When{From: 4 * time.Second}, Do: fault.Fault{Door: fault.Stopping}},
		{When: fault.When{From: 2 * time.Second}, Do: fault.Fault{Door: fault.Frozen}},
	}
	for _, c := range []struct {
		name, nginx string
		want        []string
	}{
		{"http", `upstream u { server a:80; server b:80; keepalive 0; } server { location / { proxy_pass http://u; } }`,
			[]string{"1s ended a:80 passed 200", "3s ended b:80 passed 200", "4s ended a:80 reset 502", "4s ended b:80 passed 200",
				"30s ended b:80 passed 200", "31s ended b:80 passed 200"}},
		{"https", `upstream u { server a:80; server b:80; keepalive 0; } server { location / { proxy_pass https://u; } }`,
			[]string{"1s ended a:80 passed 200", "3s ended b:80 passed 200", "4s ended a:80 refused peer closed connection in SSL handshake (104: Connection reset by peer) 502", "4s ended b:80 passed 200",
				"30s ended b:80 passed 200", "31s ended b:80 passed 200"}},
		// A reset behind a connect counts as nothing, so a is asked again.
		{"stream", `stream { upstream u { server a:80; server b:80; } server { listen 9000; proxy_pass u; } }`,
			[]string{"1s ended a:80 relayed", "3s ended b:80 relayed", "4s ended a:80 relayed reset",
				"30s ended b:80 relayed", "31s ended a:80 refused", "31s ended b:80 relayed"}},
	} {
		s := incident(t, c.nginx, map[string]fault.Rules{"a:80": stops},
			scenario.Traffic{Name: "x", Method: "GET", Path: "/", Load: scenario.Load{At: []time.Duration{
				time.Second, 3 * time.Second, 3500 * time.Millisecond, 30 * time.Second, 31 * time.Second}}})
		if diff := cmp.Diff(c.want, story(run(t, s), event.AttemptEnded)); diff != "" {
			t.Errorf("%s: want -, got +\n%s", c.name, diff)
		}
	}
}
