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
	for _, n := range []int{0, 1, bodyInMemory, bodyInMemory + 1, 1 << 20} {
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
	if a := s.ask("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: " + itoa7(1<<20+1) + "\r\n\r\n"); code(a) != "413" {
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

// An answer that comes while the proxy waits to send the rest is passed on, also
// when the backend closes behind it, which resets.
func TestEarlyResponse(t *testing.T) {
	p := play(t, func(_ int, x *exchange) {
		x.head()
		time.Sleep(200 * time.Millisecond) // more is sent than the kernel takes, so the proxy waits by then
		x.send("HTTP/1.1 403 No\r\nContent-Length: 2\r\n\r\nno")
	})
	s := startAt(t, 1, addrs(p), nil, "client_max_body_size 64m;")
	body := strings.Repeat("x", 16<<20)
	a := s.ask("POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: " + sizeOf(body) + "\r\n\r\n" + body)
	if code(a) != "403" || content(a) != "no" {
		t.Errorf("answer %.200q", a)
	}
}

// One that comes while the proxy is writing isn't looked at when a write fails.
func TestAnswerToAFailedWrite(t *testing.T) {
	p := play(t, func(_ int, x *exchange) {
		<-x.told
		x.send("HTTP/1.1 413 No\r\nContent-Length: 0\r\n\r\n")
		x.reset()
	})
	s := start(t, addrs(p), nil)
	c, up := s.connected(p)
	defer up.sock.close()
	a := &attempt{c: c, up: up, pass: &nginxconf.Pass{Upstream: &upstream.Config{}, ReadTimeout: time.Minute, SendTimeout: time.Minute}}
	c.rb.size = page
	c.rs.Reset(upstream.Version{})
	a.sender = send(up, make([]byte, 64<<10), nil, nil, time.Minute)
	if o, err := a.header(); o != event.Reset || err != nil {
		t.Errorf("outcome %v, %v, status %d", o, err, c.rs.Status)
	}
	a.over()
}

// connected is a connection to a peer whose answer and RST are there.
func (s *setting) connected(p *peer) (*client, *upconn) {
	s.t.Helper()
	conn, err := net.Dial("tcp", p.Addr().String())
	if err != nil {
		s.t.Fatal(err)
	}
	c := &client{proxy: s.Proxy, out: []byte("GET / HTTP/1.0\r\n\r\n")}
	up := &upconn{node: &node{}}
	if err := up.init(conn.(*net.TCPConn)); err != nil {
		s.t.Fatal(err)
	}
	close(p.tell)
	eventually(s.t, "the reset is here", func() bool {
		fds := []unix.PollFd{{Fd: int32(up.fd)}}
		_, _ = unix.Poll(fds, 0)
		return fds[0].Revents&unix.POLLHUP != 0
	})
	return c, up
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
	s := startAt(t, 1, addrs(p), nil, "client_max_body_size 64m;")
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
	c, up := s.connected(p)
	defer up.sock.close()
	a := &attempt{c: c, up: up, pass: &nginxconf.Pass{Upstream: &upstream.Config{}, ReadTimeout: time.Minute, SendTimeout: time.Minute}}
	if o, err := a.run(); o != 0 || err != nil || c.rs.Status != 503 || !a.broken {
		t.Errorf("outcome %v, %v, status %d, broken %v", o, err, c.rs.Status, a.broken)
	}
}

// A backend that doesn't read runs into proxy_send_timeout.
func TestSendTimeout(t *testing.T) {
	const size = 64 << 20 // more than the kernel buffers
	hold := make(chan struct{})
	p := play(t, func(_ int, x *exchange) { <-hold })
	defer close(hold)
	s := startAt(t, 10, addrs(p), func(_ *upstream.Config, p *nginxconf.Pass) { p.SendTimeout = time.Second },
		"client_max_body_size 64m;")
	body := strings.Repeat("x", size)
	a := s.ask("PUT / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: " + sizeOf(body) + "\r\n\r\n" + body)
	if got := s.log.of(event.AttemptEnded); code(a) != "504" || got != "ended b1 send_timeout 504" {
		t.Errorf("%s, %.100q", got, a)
	}
}
