package reference

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/nginxconf"
	"github.com/nolive/nolive/proxy/upstream"
)

// streamed is proxy_request_buffering off.
func streamed(_ *upstream.Config, p *nginxconf.Pass) { p.StreamsBody, p.HTTP11 = true, true }

// put asks with a body of n bytes and returns the answer.
func (s *setting) put(n int, chunked bool) string {
	head, body := "Content-Length: "+itoa7(n), strings.Repeat("x", n)
	if chunked {
		head, body = "Transfer-Encoding: chunked", chunk(body, 7000)+"0\r\n\r\n"
	}
	return s.ask("PUT / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n" + head + "\r\n\r\n" + body)
}

// A streamed body reaches the backend whole, and with what frames it.
func TestStreamedBodies(t *testing.T) {
	got := make(chan int, 1)
	p := play(t, func(_ int, x *exchange) {
		req, err := http.ReadRequest(x.r)
		if err != nil {
			return
		}
		n, _ := io.Copy(io.Discard, req.Body)
		got <- int(n)
		x.send(ok)
	})
	s := startAt(t, 1, addrs(p), streamed, "client_max_body_size 64m;")
	for _, n := range []int{1, 8 << 10, 100 << 10, 4 << 20} {
		for _, chunked := range []bool{false, true} {
			if a := s.put(n, chunked); code(a) != "200" {
				t.Fatalf("%d bytes, chunked %v: %q", n, chunked, a)
			}
			if b := <-got; b != n {
				t.Errorf("%d bytes, chunked %v: the backend got %d", n, chunked, b)
			}
		}
	}
}

// A backend gets the first bytes before the client has sent the last.
func TestBodyIsPassedOnAsItComes(t *testing.T) {
	first := make(chan struct{})
	p := play(t, func(_ int, x *exchange) {
		x.head()
		_, _ = io.ReadFull(x.r, make([]byte, 5))
		close(first)
		_, _ = io.ReadFull(x.r, make([]byte, 5))
		x.send(ok)
	})
	s := start(t, addrs(p), streamed)
	c := s.dial()
	_, _ = io.WriteString(c, "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhello")
	<-first
	_, _ = io.WriteString(c, "world")
	r := bufio.NewReader(c)
	if a := readAnswer(t, r); code(a) != "200" {
		t.Errorf("answer %q", a)
	}
}

// A request of which some was sent isn't tried again when its body was streamed.
func TestStreamedIsntTriedAgain(t *testing.T) {
	for _, c := range []struct {
		name, want string
		body       int
		refused    bool
	}{
		{"streamed", "ended b1 reset 502", 100 << 10, false},
		{"all there", "ended b1 reset 502; ended b2 passed 200", 8 << 10, false},
		{"refused before it was sent", "ended b1 refused 502; ended b2 passed 200", 100 << 10, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			bad := play(t, func(_ int, x *exchange) {
				req, err := http.ReadRequest(x.r)
				if err == nil {
					_, _ = io.Copy(io.Discard, req.Body)
				}
				x.reset()
			})
			good := play(t, func(_ int, x *exchange) {
				req, err := http.ReadRequest(x.r)
				if err == nil {
					_, _ = io.Copy(io.Discard, req.Body)
					x.send(ok)
				}
			})
			list := addrs(bad, good)
			if c.refused {
				list[0] = refused(t)
			}
			s := start(t, list, streamed)
			s.put(c.body, false)
			if got := s.log.of(event.AttemptEnded); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// A client that leaves in the middle of its body is 400, no failure of the backend.
func TestLeavingInAStreamedBody(t *testing.T) {
	asked := make(chan struct{})
	p := play(t, func(_ int, x *exchange) {
		x.head()
		close(asked)
		_, _ = io.Copy(io.Discard, x.r)
	})
	s := start(t, append(addrs(p), refused(t)), streamed)
	c := s.dial()
	_, _ = io.WriteString(c, "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhello")
	<-asked
	_ = c.Close()
	eventually(t, "the request is done", func() bool { return s.log.of(event.ProxyAnswered) != "" })
	if got := s.log.of(event.AttemptEnded, event.PeerMarked, event.ProxyAnswered); got != "ended b1 aborted; answered 400" {
		t.Errorf("got %s", got)
	}
}

// A body of known length is read to its end and not beyond, however it comes.
func TestNothingBehindABodyIsLost(t *testing.T) {
	for name, change := range map[string]func(*upstream.Config, *nginxconf.Pass){"buffered": nil, "streamed": streamed} {
		t.Run(name, func(t *testing.T) {
			p := play(t, func(_ int, x *exchange) {
				for {
					req, err := http.ReadRequest(x.r)
					if err != nil {
						return
					}
					_, _ = io.Copy(io.Discard, req.Body)
					x.send("HTTP/1.1 200 OK\r\nContent-Length: " + sizeOf(req.URL.Path) + "\r\n\r\n" + req.URL.Path)
				}
			})
			s := start(t, addrs(p), change)
			c := s.dial()
			for _, piece := range []string{"PUT /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n", "hello", "worldGET /2 HTTP/1.1\r\nHost: a\r\n\r\n"} {
				_, _ = io.WriteString(c, piece)
				time.Sleep(20 * time.Millisecond) // so that the pieces are read one by one; nothing fails if not
			}
			r := bufio.NewReader(c)
			for _, want := range []string{"/1", "/2"} {
				if got := content(readAnswer(t, r)); got != want {
					t.Fatalf("got %q, want %q", got, want)
				}
			}
		})
	}
}

// Who sends what is no chunk is told so; who leaves in the body isn't.
func TestBrokenRequestChunk(t *testing.T) {
	for name, change := range map[string]func(*upstream.Config, *nginxconf.Pass){"buffered": nil, "streamed": streamed} {
		t.Run(name, func(t *testing.T) {
			p := play(t, func(_ int, x *exchange) { _, _ = io.Copy(io.Discard, x.r) })
			s := start(t, addrs(p), change)
			a := s.ask("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nzz\r\n")
			if code(a) != "400" || !strings.Contains(a, "400 Bad Request") {
				t.Errorf("answer %q", a)
			}
		})
	}
}
