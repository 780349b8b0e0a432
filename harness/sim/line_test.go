package sim_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/scenario"
)

// A kept-alive connection stays with the worker that accepted it, as long as it
// lasts; the workers are numbered as they come.
func TestConnectionsStayWithTheirWorker(t *testing.T) {
	const nginx = `worker_processes 4; server { location / { proxy_pass http://app1; } }`
	closing := fault.Rules{{Do: fault.Fault{Script: fault.Script{Steps: []fault.Step{{Op: fault.ReadAll}, {Op: fault.Close}}}}}}
	for name, c := range map[string]struct {
		rules  fault.Rules
		client scenario.Client
		load   scenario.Load
		// lines is how many connections the traffic needs; 0 is one a request.
		lines int
	}{
		"users":                     {client: scenario.Client{Keepalive: true}, load: scenario.Load{Users: 8, Times: 12}, lines: 8},
		"an open loop":              {client: scenario.Client{Keepalive: true}, load: scenario.Load{Rate: 1, For: 96 * time.Second}, lines: 1},
		"too long a pause":          {client: scenario.Client{Keepalive: true}, load: scenario.Load{Rate: 1. / 80, For: 96 * 80 * time.Second}},
		"a connection each":         {load: scenario.Load{Users: 8, Times: 12}},
		"nginx's own 502 keeps it":  {rules: closing, client: scenario.Client{Keepalive: true}, load: scenario.Load{Users: 8, Times: 12}, lines: 8},
		"more requests than it may": {client: scenario.Client{Keepalive: true}, load: scenario.Load{Times: 3000}, lines: 3},
	} {
		t.Run(name, func(t *testing.T) {
			traffic := scenario.Traffic{Name: "curl", Method: "GET", Path: "/", Client: c.client, Load: c.load}
			users := max(c.load.Users, 1)
			events := run(t, incident(t, nginx, map[string]fault.Rules{"app1": c.rules}, traffic))
			workers := map[int][]int{} // by user, in order of requests
			next := 0
			for _, e := range events {
				if e.Kind != event.ProxyAnswered {
					continue
				}
				if e.Worker > next {
					t.Fatalf("worker %d came before %d", e.Worker, next)
				}
				if e.Worker == next {
					next++
				}
				u := e.Request.N % users
				workers[u] = append(workers[u], e.Worker)
			}
			changes := 0
			for _, ws := range workers {
				for i := 1; i < len(ws); i++ {
					if ws[i] != ws[i-1] {
						changes++
					}
				}
			}
			// A new connection has another worker in three of four cases.
			most := c.lines - users
			if c.lines == 0 {
				if changes < 40 {
					t.Errorf("%d changes of the worker: %v", changes, workers)
				}
			} else if changes > most {
				t.Errorf("%d changes of the worker, %d connections: %v", changes, c.lines, fmt.Sprint(workers)[:200])
			}
			if users > 4 && next < 3 {
				t.Errorf("%d workers", next)
			}
		})
	}
}
