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

// Framing: HTTP/1.0 clients get no chunks, HTTP/1.1 clients do, and no body
// comes where none may.
func TestFraming(t *testing.T) {
	tests := []struct{ name, request, response, want string }{
		{"no length to 1.1", "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "HTTP/1.0 200 OK\r\n\r\nhello", "5\r\nhello\r\n0\r\n\r\n"},
		{"no length to 1.0", "GET / HTTP/1.0\r\n\r\n", "HTTP/1.0 200 OK\r\n\r\nhello", "hello"},
		{"chunks to 1.0", "GET / HTTP/1.0\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\nA: b\r\n\r\n", "hello"},
		{"HEAD", "HEAD / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", ""},
		{"204", "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "HTTP/1.1 204 No Content\r\n\r\n", ""},
		{"304", "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", ""},
		{"more than announced", "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokXXX", "ok"},
		{"empty chunked", "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "0\r\n\r\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := play(t, func(_ int, x *exchange) { x.head(); x.send(tt.response) })
			s := start(t, addrs(p), nil)
			if a := s.ask(tt.request); content(a) != tt.want || len(a) < 12 {
				t.Errorf("got %q, want the body %q", a, tt.want)
			}
			if got := s.log.of(event.AttemptEnded); !strings.HasPrefix(got, "ended b1 passed") {
				t.Errorf("got %s", got)
			}
		})
	}
}

// Headers go both ways in nginx's order; what ends at the proxy doesn't pass.
func TestHeaders(t *testing.T) {
	heads := make(chan string, 1)
	p := play(t, func(_ int, x *exchange) {
		heads <- x.head()
		x.send("HTTP/1.1 200 OK\r\nX-Up: q\r\nContent-Length: 2\r\nServer: s\r\nContent-Type: text/html\r\nKeep-Alive: a\r\nx_last:  z \r\n\r\nok")
	})
	s := start(t, addrs(p), nil)
	a := s.ask("GET /a?b=%20c HTTP/1.1\r\nHost: a\r\nX-A:  b \r\nx_u: 1\r\nTE: x\r\nConnection: close\r\nx-A: c\r\n\r\n")
	if h, want := <-heads, "GET /a?b=%20c HTTP/1.0\r\nHost: portal\r\nConnection: close\r\nX-A: b\r\nx-A: c\r\n\r\n"; h != want {
		t.Errorf("to the backend:\ngot  %q\nwant %q", h, want)
	}
	before, rest, _ := strings.Cut(a, "\r\nDate: ")
	_, after, _ := strings.Cut(rest, "GMT")
	if got, want := before+after, "HTTP/1.1 200 OK\r\nServer: nolive\r\nContent-Type: text/html\r\nContent-Length: 2\r\nConnection: close\r\nX-Up: q\r\nx_last: z\r\n\r\nok"; got != want {
		t.Errorf("to the client:\ngot  %q\nwant %q", got, want)
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

// A large response arrives byte for byte, in each framing.
func TestLargeResponse(t *testing.T) {
	var b strings.Builder
	for b.Len() < 1<<20 {
		b.WriteString("0123456789abcdefghijklmnopqrstuvwxyz\n")
	}
	body := b.String()
	p := play(t, func(_ int, x *exchange) {
		switch h := x.head(); {
		case strings.HasPrefix(h, "GET /length "):
			x.send("HTTP/1.1 200 OK\r\nContent-Length: " + sizeOf(body) + "\r\n\r\n" + body)
		case strings.HasPrefix(h, "GET /chunks "):
			x.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
			for rest, k := body, 1; rest != ""; k = k*3 + 1 {
				k = min(k%70000+1, len(rest))
				x.send(hex(k) + "\r\n" + rest[:k] + "\r\n")
				rest = rest[k:]
			}
			x.send("0\r\n\r\n")
		default:
			x.send("HTTP/1.0 200 OK\r\n\r\n" + body)
		}
	})
	s := start(t, addrs(p), nil)
	for _, path := range []string{"/length", "/chunks", "/fin"} {
		if got := content(s.ask("GET " + path + " HTTP/1.0\r\n\r\n")); got != body {
			t.Errorf("%s to HTTP/1.0: %d bytes, want %d", path, len(got), len(body))
		}
		if got := dechunk(t, content(s.get(path)), path != "/length"); got != body {
			t.Errorf("%s to HTTP/1.1: %d bytes, want %d", path, len(got), len(body))
		}
	}
}

func dechunk(t *testing.T, s string, chunked bool) string {
	t.Helper()
	if !chunked {
		return s
	}
	var d chunks
	b := []byte(s)
	n, used, err := d.decode(b)
	if err != nil || used != len(b) || !d.done {
		t.Fatalf("chunks: %v, %d of %d used, done %v", err, used, len(b), d.done)
	}
	return string(b[:n])
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
