package live

import (
	"net"
	"sync"
	"testing"

	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/scenario"
)

// A client comes from its own address, and keeps a connection for that one only.
func TestAddresses(t *testing.T) {
	a, b := scenario.Address{127, 0, 0, 7}, scenario.Address{127, 200, 3, 4}
	order := []scenario.Address{a, a, b, a, b}
	for _, keep := range []bool{false, true} {
		var mu sync.Mutex
		var seen []string // by connection
		s := serve(t, func(_ int, c *peer) {
			mu.Lock()
			seen = append(seen, c.RemoteAddr().(*net.TCPAddr).IP.String())
			mu.Unlock()
			answering(0, c)
		})
		bench := newBench(t, s.address(), scenario.Traffic{Client: scenario.Client{Keepalive: keep}}, 1)
		bench.from = func(n int) scenario.Address { return order[n-1] }
		var idle idle
		for n := range order {
			if e := bench.ask(t, &idle, n+1); e.Outcome != event.Passed {
				t.Fatalf("request %d: %v", n+1, e.Outcome)
			}
		}
		idle.close()
		s.stop()
		want := order
		if keep {
			want = order[1:3]
		}
		if len(seen) != len(want) {
			t.Fatalf("keepalive %v: connections from %v, want %v", keep, seen, want)
		}
		for i := range want {
			if seen[i] != want[i].String() {
				t.Errorf("keepalive %v: connection %d comes from %s, want %v", keep, i+1, seen[i], want[i])
			}
		}
	}
}
