package reference

import (
	"bufio"
	"io"
	"testing"
	"time"

	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/nginxconf"
	"github.com/nolive/nolive/proxy/upstream"
)

// kept gives the group a cache of n idle connections, as `keepalive n;
// proxy_http_version 1.1; proxy_set_header Connection "";` does.
func kept(n int) func(*upstream.Config, *nginxconf.Pass) {
	return func(u *upstream.Config, p *nginxconf.Pass) {
		u.Keepalive.Connections = n
		p.HTTP11, p.KeepConnection = true, true
	}
}

func TestConnectionsAreReused(t *testing.T) {
	p := play(t, fine)
	s := start(t, addrs(p), kept(4))
	for range 5 {
		if a := s.get("/"); code(a) != "200" {
			t.Fatalf("answer %q", a)
		}
	}
	if n := p.connections(); n != 1 {
		t.Errorf("%d connections, want 1", n)
	}
	if got, want := s.log.of(event.AttemptStarted), "attempt b1; attempt b1 cached; attempt b1 cached; attempt b1 cached; attempt b1 cached"; got != want {
		t.Errorf("got %s", got)
	}
}

// A connection that the backend closes while it is idle is let go silently:
// the next request connects afresh and nothing is counted.
func TestIdleConnectionsThatDieAreForgotten(t *testing.T) {
	for name, end := range map[string]func(*exchange){
		"FIN":  func(x *exchange) {},
		"RST":  func(x *exchange) { x.reset() },
		"data": func(x *exchange) { x.send("HTTP/1.1 408 Too late\r\n\r\n"); _ = x.gone() },
	} {
		t.Run(name, func(t *testing.T) {
			die, dead := make(chan struct{}), make(chan struct{})
			p := play(t, func(n int, x *exchange) {
				x.head()
				x.send(ok)
				if n == 1 {
					<-die
					end(x)
					_ = x.Close()
					close(dead)
					return
				}
				fine(n, x)
			})
			s := start(t, append(addrs(p), refused(t)), func(u *upstream.Config, pass *nginxconf.Pass) {
				kept(4)(u, pass)
				u.Servers[1].Backup = true
			})
			s.get("/")
			close(die)
			select {
			case <-dead:
			case <-time.After(10 * time.Second): // long before keepalive_timeout
				t.Fatal("the connection is still kept")
			}
			if a := s.get("/"); code(a) != "200" {
				t.Errorf("answer %q", a)
			}
			if got := s.log.of(event.AttemptStarted, event.AttemptEnded, event.PeerMarked); got != "attempt b1; ended b1 passed 200; attempt b1; ended b1 passed 200" {
				t.Errorf("got %s", got)
			}
		})
	}
}

// The race: the backend closes after the request was sent on a kept connection.
// It is a counted failure and gives a free try (vectors V15 and V16).
func TestStaleConnection(t *testing.T) {
	stale := func(n int, x *exchange) {
		x.head()
		x.send(ok)
		if x.head() != "" && n > 1 {
			fine(n, x)
		}
	}
	t.Run("two peers", func(t *testing.T) {
		a, b := play(t, stale), play(t, fine)
		s := start(t, addrs(a, b), kept(4))
		for range 3 {
			if a := s.get("/"); code(a) != "200" {
				t.Errorf("answer %q", a)
			}
		}
		want := "ended b1 passed 200; ended b2 passed 200; ended b1 closed 502 cached; marked b1 closed 502 cached; ended b2 passed 200 cached"
		if got := s.log.of(event.AttemptEnded, event.PeerMarked); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
	t.Run("one peer", func(t *testing.T) {
		p := play(t, func(n int, x *exchange) {
			x.head()
			x.send(ok)
			x.head()
		})
		s := start(t, addrs(p), kept(4))
		for range 2 {
			if a := s.get("/"); code(a) != "200" {
				t.Errorf("answer %q", a)
			}
		}
		if got, want := s.log.of(event.AttemptEnded), "ended b1 passed 200; ended b1 closed 502 cached; ended b1 passed 200"; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
}

// What keeps a connection from being kept.
func TestNotKept(t *testing.T) {
	for name, response := range map[string]string{
		"HTTP/1.0":           "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok",
		"Connection: close":  "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok",
		"more than promised": "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokX",
		"after the chunks":   "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\nX",
	} {
		t.Run(name, func(t *testing.T) {
			p := play(t, func(_ int, x *exchange) {
				for x.head() != "" {
					x.send(response)
				}
			})
			s := start(t, addrs(p), kept(4))
			s.get("/")
			s.get("/")
			if n := p.connections(); n != 2 {
				t.Errorf("%d connections, want 2", n)
			}
		})
	}
}

// keepalive_timeout closes an idle connection in scenario time, and a full
// cache the one that was stored longest ago.
func TestIdleConnectionsAreClosed(t *testing.T) {
	t.Run("timeout", func(t *testing.T) {
		closed := make(chan struct{})
		p := play(t, func(_ int, x *exchange) { fine(0, x); close(closed) })
		s := startAt(t, 20, addrs(p), func(u *upstream.Config, pass *nginxconf.Pass) {
			kept(4)(u, pass)
			u.Keepalive.Timeout = 2 * time.Second
		})
		at := s.clock.Now() // before it can become idle, however late we are
		s.get("/")
		<-closed
		if d := s.clock.Now() - at; d < 2*time.Second {
			t.Errorf("closed after %v of scenario time", d)
		}
	})
	t.Run("room", func(t *testing.T) {
		both := make(chan struct{})
		first := make(chan int, 2)
		p := play(t, func(n int, x *exchange) {
			x.head()
			if n == 2 {
				close(both)
			}
			<-both
			x.send(ok)
			_ = x.gone()
			first <- n
		})
		s := start(t, addrs(p), kept(1))
		done := make(chan struct{})
		go func() { s.get("/"); close(done) }()
		s.get("/")
		<-done
		select {
		case <-first:
		case <-time.After(10 * time.Second):
			t.Error("two connections are kept, want one")
		}
	})
}

// A client's connection lives on through the proxy's own answers.
func TestClientKeepAlive(t *testing.T) {
	s := start(t, []string{refused(t)}, nil)
	c := s.dial()
	r := bufio.NewReader(c)
	for range 3 {
		_, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
		if a := readAnswer(t, r); code(a) != "502" {
			t.Fatalf("answer %q", a)
		}
	}
}
