package live

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/scenario"
)

// What happens to a kept-alive connection between and under requests.
func TestKeepalive(t *testing.T) {
	keep := scenario.Client{Keepalive: true}
	hangup := func(c *peer) { c.request(); c.Close() }
	for _, tt := range []struct {
		name   string
		method string
		client scenario.Client
		// play plays connection n.
		play     func(n int, c *peer)
		requests int
		// want are the outcomes; connections and heads are what the server saw.
		want               []event.Outcome
		connections, heads int32
	}{
		{name: "off: a connection each", play: answering, requests: 3,
			want: []event.Outcome{event.Passed, event.Passed, event.Passed}, connections: 3, heads: 3},
		{name: "on: one connection", client: keep, play: answering, requests: 3,
			want: []event.Outcome{event.Passed, event.Passed, event.Passed}, connections: 1, heads: 3},
		{name: "the proxy says close", client: keep, requests: 2,
			play: func(_ int, c *peer) {
				c.request()
				c.say("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
				c.rest()
			},
			want: []event.Outcome{event.Passed, event.Passed}, connections: 2, heads: 2},
		{name: "closed while idle: noticed, no request lost", client: keep, requests: 2,
			play: func(_ int, c *peer) {
				c.request()
				c.say(ok)
				c.CloseWrite()
				c.request() // would be the lost one
			},
			want: []event.Outcome{event.Passed, event.Passed}, connections: 2, heads: 2},
		{name: "bytes nobody asked for: not used again", client: keep, requests: 2,
			play: func(_ int, c *peer) { c.request(); c.say(ok + "HTTP/1.1 408 Bye\r\n\r\n"); c.rest() },
			want: []event.Outcome{event.Passed, event.Passed}, connections: 2, heads: 2},
		{name: "closed under the second request: tried on a fresh one", client: keep, requests: 2,
			play: func(n int, c *peer) {
				if n == 1 {
					c.request()
					c.say(ok)
					hangup(c)
					return
				}
				answering(n, c)
			},
			want: []event.Outcome{event.Passed, event.Passed}, connections: 2, heads: 3},
		{name: "reset under a POST: tried on a fresh one", client: keep, method: "POST", requests: 2,
			play: func(n int, c *peer) {
				if n == 1 {
					c.request()
					c.say(ok)
					c.request()
					c.reset()
					return
				}
				answering(n, c)
			},
			want: []event.Outcome{event.Passed, event.Passed}, connections: 2, heads: 3},
		{name: "tried once, not for ever", client: keep, requests: 2,
			play: func(n int, c *peer) {
				if n == 1 {
					c.request()
					c.say(ok)
				}
				hangup(c)
			},
			want: []event.Outcome{event.Passed, event.Closed}, connections: 2, heads: 3},
		{name: "a fresh connection is never tried again", client: keep, requests: 1,
			play: func(_ int, c *peer) { hangup(c) },
			want: []event.Outcome{event.Closed}, connections: 1, heads: 1},
		{name: "not after the first byte of an answer", client: keep, requests: 2,
			play: func(_ int, c *peer) { c.request(); c.say(ok); c.request(); c.say("H"); c.Close() },
			want: []event.Outcome{event.Passed, event.Closed}, connections: 1, heads: 2},
		{name: "not after a time-out", client: scenario.Client{Keepalive: true, Timeout: 500 * time.Millisecond}, requests: 2,
			play: func(_ int, c *peer) { c.request(); c.say(ok); c.request(); c.rest() },
			want: []event.Outcome{event.Passed, event.ClientTimeout}, connections: 1, heads: 2},
		{name: "HTTP/1.0, when the proxy agrees", client: scenario.Client{Keepalive: true, HTTP10: true}, requests: 2,
			play: func(_ int, c *peer) {
				for c.request() != nil {
					c.say("HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n")
				}
			},
			want: []event.Outcome{event.Passed, event.Passed}, connections: 1, heads: 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var connections atomic.Int32
			s := serve(t, func(n int, c *peer) { connections.Add(1); tt.play(n, c) })
			b := newBench(t, s.address(), scenario.Traffic{Method: tt.method, Client: tt.client}, 1)
			var idle idle
			defer idle.close()
			for i, want := range tt.want {
				if e := b.ask(t, &idle, i+1); e.Outcome != want {
					t.Errorf("request %d: %v, want %v", i+1, e.Outcome, want)
				}
				settle(t, &idle)
			}
			if got := connections.Load(); got != tt.connections {
				t.Errorf("%d connections, want %d", got, tt.connections)
			}
			if got := s.heads.Load(); got != tt.heads {
				t.Errorf("the proxy read %d requests, want %d", got, tt.heads)
			}
			if b.record.all()[len(b.record.all())-1].Request.N != tt.requests || len(b.record.all()) != 2*tt.requests {
				t.Errorf("%d events for %d requests, want two each, retried or not", len(b.record.all()), tt.requests)
			}
		})
	}
}

// settle gives the server's last word, a FIN or a stray answer, time to arrive
// on the idle connection: it comes within the round trip of a loopback write.
func settle(t *testing.T, i *idle) {
	t.Helper()
	for range 20 {
		i.mu.Lock()
		dead := len(i.conns) > 0 && !i.conns[0].alive()
		i.mu.Unlock()
		if dead {
			return
		}
		time.Sleep(time.Millisecond)
	}
}
