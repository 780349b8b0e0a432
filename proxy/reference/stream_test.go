package reference

import (
	"bufio"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/nginxconf"
	"github.com/nolive/nolive/proxy/upstream"
)

// A response is passed on while it is being made: the first byte arrives
// before the last one is sent.
func TestResponsesAreStreamed(t *testing.T) {
	for name, head := range map[string]string{
		"length":  "HTTP/1.1 200 OK\r\nContent-Length: 20000\r\n\r\n",
		"to FIN":  "HTTP/1.0 200 OK\r\n\r\n",
		"chunked": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			seen := make(chan struct{})
			p := play(t, func(_ int, x *exchange) {
				x.head()
				first, last := strings.Repeat("a", 10000), strings.Repeat("b", 10000)
				if name == "chunked" {
					first, last = "2710\r\n"+first+"\r\n", "2710\r\n"+last+"\r\n0\r\n\r\n"
				}
				x.send(head + first)
				select {
				case <-seen:
					x.send(last)
				case <-time.After(10 * time.Second):
				}
			})
			s := start(t, addrs(p), nil)
			c := s.dial()
			_, _ = io.WriteString(c, "GET / HTTP/1.0\r\n\r\n")
			r := bufio.NewReader(c)
			for {
				if b, err := r.ReadByte(); err != nil {
					t.Fatal(err)
				} else if b == 'a' {
					break
				}
			}
			close(seen)
			rest, err := io.ReadAll(r)
			if err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(string(rest), "b"); n < 10000 {
				t.Errorf("got %d of the last bytes", n)
			}
		})
	}
}

// A response that breaks off after its header: FIN flushes what was read, a
// reset or a time-out loses what lay in an unfilled page; the connection is
// closed and the failure isn't counted (nginx 1.22 gives these very bytes).
func TestTruncation(t *testing.T) {
	const head = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"
	const chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
	pause := func() { time.Sleep(20 * time.Millisecond) }
	tests := []struct {
		name   string
		script func(*exchange)
		body   string
		log    string
	}{
		{"FIN", func(x *exchange) { x.send(head + "1234567890") }, "1234567890", "upstream prematurely closed connection while reading upstream"},
		{"RST", func(x *exchange) { x.send(head + "1234567890"); pause(); x.reset() }, "", "readv() failed (104: Connection reset by peer) while reading upstream"},
		{"silence", func(x *exchange) { x.send(head + "1234567890"); _ = x.gone() }, "", "upstream timed out (110: Connection timed out) while reading upstream"},
		{"FIN inside a chunk", func(x *exchange) { x.send(chunked + "5\r\nhello\r\n5\r\nhe") }, "5\r\nhello\r\n2\r\nhe\r\n", "upstream prematurely closed connection while reading upstream"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := play(t, func(_ int, x *exchange) { x.head(); tt.script(x) })
			s := startAt(t, 10, append(addrs(p), refused(t)), func(_ *upstream.Config, p *nginxconf.Pass) {
				if tt.name == "silence" {
					p.ReadTimeout = time.Second
				}
			})
			c := s.dial()
			_, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: a\r\n\r\n") // keep-alive asked for, and not given
			b, err := io.ReadAll(c)
			if err != nil {
				t.Fatal(err)
			}
			got := content(string(b))
			if tt.name == "FIN inside a chunk" {
				got = strings.ReplaceAll(got, "7\r\nhellohe\r\n", tt.body) // both chunks may come in one pass
			}
			if got != tt.body || code(string(b)) != "200" {
				t.Errorf("got %q, want the body %q", b, tt.body)
			}
			if got := s.log.of(event.AttemptEnded, event.PeerMarked, event.ProxyAnswered); got != "ended b1 truncated 200; answered 200" {
				t.Errorf("got %s", got)
			}
			logged := false
			for _, e := range s.log.events {
				logged = logged || e.Kind == event.Logged && e.Detail == tt.log
			}
			if tt.log != "" && !logged {
				t.Errorf("no line %q", tt.log)
			}
		})
	}
}

// A broken chunk ends the response where it is; what came before it is out.
func TestBrokenChunk(t *testing.T) {
	seen := make(chan struct{})
	p := play(t, func(_ int, x *exchange) {
		x.head()
		x.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")
		<-seen
		x.send("zz\r\n")
		_ = x.gone()
	})
	s := start(t, addrs(p), nil)
	c := s.dial()
	_, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
	r := bufio.NewReader(c)
	for line := ""; line != "hello\r\n"; {
		var err error
		if line, err = r.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	close(seen)
	if rest, err := io.ReadAll(r); err != nil || len(rest) > 0 {
		t.Errorf("%q %v", rest, err)
	}
	eventually(t, "the request is done", func() bool { return s.log.of(event.ProxyAnswered) != "" })
	if got := s.log.of(event.AttemptEnded, event.ProxyAnswered); got != "ended b1 truncated 200; answered 200" {
		t.Errorf("got %s", got)
	}
}

// A slow client slows the backend down; the proxy holds no whole response.
func TestBackpressure(t *testing.T) {
	const size = 64 << 20
	wrote := make(chan int, 1)
	p := play(t, func(_ int, x *exchange) {
		x.head()
		x.send("HTTP/1.0 200 OK\r\n\r\n")
		_ = x.SetWriteDeadline(time.Now().Add(300 * time.Millisecond))
		b := make([]byte, 1<<16)
		n := 0
		for n < size {
			k, err := x.Write(b)
			n += k
			if err != nil {
				break
			}
		}
		wrote <- n
	})
	s := start(t, addrs(p), nil)
	c := s.dial()
	_, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
	if n := <-wrote; n == size {
		t.Errorf("all %d bytes were taken though nobody reads", n)
	}
}

// An attempt ends before its client has the whole answer, so a client that asks
// again finds the connection and the peer free.
func TestTheAttemptEndsFirst(t *testing.T) {
	p := play(t, fine)
	u := &upstream.Config{Name: "u", Servers: []upstream.Server{upstream.NewServer("a")}}
	pass := &nginxconf.Pass{Upstream: u, Match: "/", ConnectTimeout: time.Minute, SendTimeout: time.Minute, ReadTimeout: time.Minute}
	got, early := make(chan struct{}), make(chan bool, 1)
	proxy, err := Start(Options{
		Config: &nginxconf.Config{Upstreams: []*upstream.Config{u}, Servers: []*nginxconf.Server{{
			Listens: []nginxconf.Listen{{Address: "80"}}, Locations: []*nginxconf.Location{{Path: "/", Pass: pass}}}}},
		Backends: map[string]string{"a": p.Addr().String()},
		Sink: event.SinkFunc(func(e event.Event) {
			if e.Kind == event.AttemptEnded {
				select {
				case <-got:
					early <- true
				case <-time.After(50 * time.Millisecond): // ample for an answer that is out already
					early <- false
				}
			}
		}),
	})
	if err != nil {
		t.Fatal(err)
	}
	s := &setting{proxy, t, nil}
	defer s.Close()
	c := s.dial()
	_, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
	readAnswer(t, bufio.NewReader(c))
	close(got)
	if <-early {
		t.Error("the client had its answer before the attempt ended")
	}
}
