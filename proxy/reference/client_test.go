package reference

import (
	"bufio"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/nginxconf"
	"github.com/nolive/nolive/proxy/upstream"
)

// A client that leaves ends the attempt within milliseconds: the backend sees
// its connection close, the access log would say 499, and nothing is counted.
// Closing only the sending half is leaving too.
func TestAbort(t *testing.T) {
	for _, how := range []string{"close", "half-close", "half-close with the request"} {
		t.Run(how, func(t *testing.T) {
			asked, left := make(chan struct{}), make(chan time.Time, 1)
			p := play(t, func(_ int, x *exchange) {
				x.head()
				close(asked)
				_ = x.gone()
				left <- time.Now()
			})
			s := start(t, append(addrs(p), refused(t)), nil)
			c := s.dial()
			_, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
			if how != "half-close with the request" {
				<-asked
			}
			at := time.Now()
			if how == "close" {
				_ = c.Close()
			} else {
				_ = c.CloseWrite()
			}
			select {
			case then := <-left:
				// Generous for a busy machine; without the watch it would be 60 s.
				if d := then.Sub(at); d > time.Second {
					t.Errorf("the backend saw it after %v", d)
				} else {
					t.Logf("the backend saw it after %v", d)
				}
			case <-time.After(10 * time.Second):
				t.Fatal("the backend's connection stayed open")
			}
			eventually(t, "the request is done", func() bool { return s.log.of(event.ProxyAnswered) != "" })
			if got := s.log.of(event.AttemptEnded, event.PeerMarked, event.ProxyAnswered); got != "ended b1 aborted; answered 499" {
				t.Errorf("got %s", got)
			}
		})
	}
}

// With proxy_ignore_client_abort the exchange goes on without the client.
func TestIgnoreClientAbort(t *testing.T) {
	asked, whole := make(chan struct{}), make(chan struct{})
	p := play(t, func(_ int, x *exchange) {
		x.head()
		close(asked)
		<-whole
		x.send(ok)
	})
	s := start(t, addrs(p), func(_ *upstream.Config, p *nginxconf.Pass) { p.IgnoreClientAbort = true })
	c := s.dial()
	_, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
	<-asked
	_ = c.Close()
	time.Sleep(20 * time.Millisecond) // time in which a watch would have struck
	close(whole)
	eventually(t, "the request is done", func() bool { return s.log.of(event.ProxyAnswered) != "" })
	if got := s.log.of(event.AttemptEnded); got != "ended b1 passed 200" {
		t.Errorf("got %s", got)
	}
}

// A client may leave in the middle of a response too; what was sent is logged.
func TestAbortInTheBody(t *testing.T) {
	left := make(chan struct{})
	p := play(t, func(_ int, x *exchange) {
		x.head()
		x.send("HTTP/1.0 200 OK\r\n\r\n" + strings.Repeat("a", 2*page))
		_ = x.gone()
		close(left)
	})
	s := start(t, addrs(p), nil)
	c := s.dial()
	_, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
	if _, err := bufio.NewReader(c).ReadByte(); err != nil {
		t.Fatal(err)
	}
	_ = c.Close()
	<-left
	eventually(t, "the request is done", func() bool { return s.log.of(event.ProxyAnswered) != "" })
	if got := s.log.of(event.AttemptEnded, event.ProxyAnswered); got != "ended b1 aborted 200; answered 200" {
		t.Errorf("got %s", got)
	}
}

// Requests on one connection are answered in order, also when they come in one write.
func TestPipelining(t *testing.T) {
	p := play(t, func(_ int, x *exchange) {
		target := strings.Fields(x.head())[1]
		x.send("HTTP/1.1 200 OK\r\nContent-Length: " + sizeOf(target) + "\r\n\r\n" + target)
	})
	s := start(t, addrs(p), nil)
	c := s.dial()
	var all strings.Builder
	for _, path := range []string{"/1", "/2", "/3"} {
		all.WriteString("GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n")
	}
	all.WriteString("POST /4 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n")
	all.WriteString("POST /5 HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabcGET /6 HTTP/1.1\r\nHost: a\r\n\r\n")
	_, _ = io.WriteString(c, all.String())
	r := bufio.NewReader(c)
	for _, want := range []string{"/1", "/2", "/3", "/4", "/5", "/6"} {
		if got := content(readAnswer(t, r)); got != want {
			t.Fatalf("got %q, want %q", got, want)
		}
	}
}

// Bodies reach the backend whole, whatever their framing and size.
func TestRequestBodies(t *testing.T) {
	got := make(chan string, 1)
	p := play(t, func(_ int, x *exchange) {
		h := x.head()
		_, value, _ := strings.Cut(h, "Content-Length: ")
		n := 0
		for _, c := range value[:strings.Index(value, "\r")] {
			n = n*10 + int(c-'0')
		}
		b := make([]byte, n)
		_, _ = io.ReadFull(x.r, b)
		got <- string(b)
		x.send(ok)
	})
	s := start(t, addrs(p), nil)
	for _, n := range []int{0, 1, bodyInMemory, bodyInMemory + 1, defaultBody} {
		body := strings.Repeat("x", n)
		for name, request := range map[string]string{
			"length":  "Content-Length: " + sizeOf(body) + "\r\n\r\n" + body,
			"chunked": "Transfer-Encoding: chunked\r\n\r\n" + chunk(body, 7000) + "0\r\n\r\n",
		} {
			a := s.ask("POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n" + request)
			if code(a) != "200" {
				t.Fatalf("%s, %d bytes: %q", name, n, a)
			}
			if b := <-got; b != body {
				t.Errorf("%s, %d bytes: the backend got %d", name, n, len(b))
			}
		}
	}
	if a := s.ask("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: " + itoa7(defaultBody+1) + "\r\n\r\n"); code(a) != "413" {
		t.Errorf("too big: %q", a)
	}
}

func itoa7(n int) string { return sizeOf(strings.Repeat("x", n)) }

func chunk(s string, size int) string {
	var b strings.Builder
	for len(s) > 0 {
		n := min(size, len(s))
		b.WriteString(hex(n) + "\r\n" + s[:n] + "\r\n")
		s = s[n:]
	}
	return b.String()
}

func TestExpectContinue(t *testing.T) {
	p := play(t, func(_ int, x *exchange) { x.head(); x.send(ok) })
	s := start(t, addrs(p), nil)
	c := s.dial()
	_, _ = io.WriteString(c, "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\nConnection: close\r\n\r\n")
	r := bufio.NewReader(c)
	line, err := r.ReadString('\n')
	if err != nil || line != "HTTP/1.1 100 Continue\r\n" {
		t.Fatalf("%q %v", line, err)
	}
	_, _ = r.ReadString('\n')
	_, _ = io.WriteString(c, "hi")
	if a := readAnswer(t, r); code(a) != "200" {
		t.Errorf("answer %q", a)
	}
}

// An answer that comes before the backend has read the whole request is passed on.
func TestEarlyResponse(t *testing.T) {
	for name, end := range map[string]func(*exchange){
		"open":  func(x *exchange) { time.Sleep(50 * time.Millisecond) },
		"reset": func(x *exchange) {}, // closing with unread bytes resets
	} {
		t.Run(name, func(t *testing.T) {
			p := play(t, func(_ int, x *exchange) {
				_ = x.Conn.(*net.TCPConn).SetReadBuffer(4096)
				x.head()
				x.send("HTTP/1.1 403 No\r\nContent-Length: 2\r\n\r\nno")
				end(x)
			})
			s := start(t, addrs(p), nil)
			body := strings.Repeat("x", defaultBody)
			a := s.ask("POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: " + sizeOf(body) + "\r\n\r\n" + body)
			if code(a) != "403" || content(a) != "no" {
				t.Errorf("answer %.200q", a)
			}
		})
	}
}

// Once the answer is on its way nothing more of the request is sent.
func TestAnswerEndsTheRequest(t *testing.T) {
	const size = 64 << 20
	read := make(chan int64, 1)
	p := play(t, func(_ int, x *exchange) {
		x.head()
		// A page goes on to the client at once, the rest is kept waiting.
		x.send("HTTP/1.1 403 No\r\nContent-Length: " + itoa7(2*page) + "\r\n\r\n" + strings.Repeat("a", page))
		<-x.told
		_ = x.SetReadDeadline(time.Now().Add(500 * time.Millisecond))
		n, _ := io.Copy(io.Discard, x.r)
		read <- n
		x.send(strings.Repeat("b", page))
	})
	s := startAt(t, 1, addrs(p), nil, "http { client_max_body_size 64m; }")
	c := s.dial()
	go func() {
		_, _ = io.WriteString(c, "PUT / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: "+itoa7(size)+"\r\n\r\n")
		_, _ = io.Copy(c, io.LimitReader(zeroes{}, size))
	}()
	r := bufio.NewReader(c)
	if _, err := r.ReadByte(); err != nil {
		t.Fatal(err)
	}
	close(p.tell)
	if n := <-read; n >= size {
		t.Error("all of the request was sent")
	}
	if b, err := io.ReadAll(r); err != nil || !strings.HasSuffix(string(b), "bbb") {
		t.Errorf("%v after %d bytes", err, len(b))
	}
}

type zeroes struct{}

func (zeroes) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// A response that was there before the write failed is read all the same.
func TestResponseBeforeAReset(t *testing.T) {
	p := play(t, func(_ int, x *exchange) {
		<-x.told // connected
		x.send("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n")
		x.reset()
	})
	s := start(t, addrs(p), nil)
	conn, err := net.Dial("tcp", p.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	c := &client{proxy: s.Proxy, out: []byte("GET / HTTP/1.0\r\n\r\n")}
	up := &upconn{node: &node{}}
	if err := up.init(conn.(*net.TCPConn)); err != nil {
		t.Fatal(err)
	}
	defer up.sock.close()
	close(p.tell)
	eventually(t, "the reset is here", func() bool {
		fds := []unix.PollFd{{Fd: int32(up.fd)}}
		_, _ = unix.Poll(fds, 0)
		return fds[0].Revents&unix.POLLHUP != 0
	})
	a := &attempt{c: c, up: up, pass: &nginxconf.Pass{ReadTimeout: time.Minute, SendTimeout: time.Minute}}
	if o, err := a.run(); o != 0 || err != nil || c.rs.status != 503 || !a.broken {
		t.Errorf("outcome %v, %v, status %d, broken %v", o, err, c.rs.status, a.broken)
	}
}

// A backend that doesn't read runs into proxy_send_timeout.
func TestSendTimeout(t *testing.T) {
	const size = 64 << 20 // more than the kernel buffers
	hold := make(chan struct{})
	p := play(t, func(_ int, x *exchange) { <-hold })
	defer close(hold)
	s := startAt(t, 10, addrs(p), func(_ *upstream.Config, p *nginxconf.Pass) { p.SendTimeout = time.Second },
		"http { client_max_body_size 64m; }")
	body := strings.Repeat("x", size)
	a := s.ask("PUT / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: " + sizeOf(body) + "\r\n\r\n" + body)
	if got := s.log.of(event.AttemptEnded); code(a) != "504" || got != "ended b1 send_timeout 504" {
		t.Errorf("%s, %.100q", got, a)
	}
}

// Heads up to 32 KiB are taken, with lines up to 8 KiB (large_client_header_buffers).
func TestHeadLimits(t *testing.T) {
	p := play(t, fine)
	s := start(t, addrs(p), nil)
	line := func(n int) string { return "A: " + strings.Repeat("b", n-5) + "\r\n" }
	tests := []struct{ name, head, want string }{
		{"many", "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n" + strings.Repeat(line(1000), 30), "200"},
		{"long line", "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n" + line(8000), "200"},
		{"too long a line", "GET / HTTP/1.1\r\nHost: a\r\n" + line(9000), "400"},
		{"too many", "GET / HTTP/1.1\r\nHost: a\r\n" + strings.Repeat(line(1000), 40), "400"},
		{"too long a target", "GET /" + strings.Repeat("a", 9000) + " HTTP/1.1\r\nHost: a\r\n", "414"},
		{"no host", "GET / HTTP/1.1\r\n", "400"},
		{"bad name", "GET / HTTP/1.1\r\nHost: a\r\na b: c\r\n", "400"},
		{"other version", "GET / HTTP/2.0\r\nHost: a\r\n", "505"},
		{"two lengths", "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nContent-Length: 0\r\n", "400"},
		{"length and chunks", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n", "400"},
		{"other coding", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n", "501"},
		{"TRACE", "TRACE / HTTP/1.1\r\nHost: a\r\n", "405"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if a := s.ask(tt.head + "\r\n"); code(a) != tt.want {
				t.Errorf("got %.100q, want %s", a, tt.want)
			}
		})
	}
}

// Locations, their own answers, and servers by name.
func TestRoutes(t *testing.T) {
	p := play(t, func(_ int, x *exchange) {
		target := strings.Fields(x.head())[1]
		x.send("HTTP/1.1 200 OK\r\nContent-Length: " + sizeOf(target) + "\r\n\r\n" + target)
	})
	tree, problems := nginxconf.Parse("test.conf", []byte(`http {
		upstream u { server app; }
		server {
			listen 80;
			location /api/ { proxy_pass http://u/v1/; }
			location = /teapot { return 418 "short and stout"; }
			location /moved { return 301 http://b/; }
		}
		server { listen 80; server_name other *.wild; location / { proxy_pass http://u; } }
	}`), nil)
	config, more := nginxconf.Interpret(tree)
	if len(problems)+len(more) > 0 {
		t.Fatal(problems, more)
	}
	proxy, err := Start(Options{Config: config, Backends: map[string]string{"app": p.Addr().String()}})
	if err != nil {
		t.Fatal(err)
	}
	s := &setting{proxy, t, &log{}}
	defer s.Close()
	tests := []struct{ host, path, status, content string }{
		{"a", "/api/x?y", "200", "/v1/x?y"},
		{"a", "/teapot", "418", "short and stout"},
		{"a", "/none", "404", ""},
		{"a", "/moved", "301", ""},
		{"other", "/teapot", "200", "/teapot"},
		{"OTHER:80", "/teapot", "200", "/teapot"},
		{"x.wild", "/teapot", "200", "/teapot"},
	}
	for _, tt := range tests {
		a := s.ask("GET " + tt.path + " HTTP/1.1\r\nHost: " + tt.host + "\r\nConnection: close\r\n\r\n")
		if code(a) != tt.status || tt.content != "" && content(a) != tt.content {
			t.Errorf("%s%s: got %.200q, want %s %q", tt.host, tt.path, a, tt.status, tt.content)
		}
	}
	if a := s.ask("GET /moved HTTP/1.0\r\n\r\n"); !strings.Contains(a, "\r\nLocation: http://b/\r\n") {
		t.Errorf("no redirect: %q", a)
	}
}
