package reference

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nolive/nolive/harness/clock"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/nginxconf"
	"github.com/nolive/nolive/proxy/upstream"
)

// peer is a hand-made backend: script plays each connection.
type peer struct {
	net.Listener
	t      *testing.T
	mu     sync.Mutex
	conns  []net.Conn
	served int
	wg     sync.WaitGroup
	// tell is closed by the test to let scripts that wait for told go on.
	tell chan struct{}
}

// play serves connections with script(n, conn), n from 1, until the test ends.
func play(t *testing.T, script func(n int, c *exchange)) *peer {
	t.Helper()
	l, err := listenTCP("")
	if err != nil {
		t.Fatal(err)
	}
	p := &peer{Listener: l, t: t, tell: make(chan struct{})}
	p.wg.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			p.mu.Lock()
			p.served++
			n := p.served
			p.conns = append(p.conns, conn)
			p.mu.Unlock()
			p.wg.Go(func() {
				defer conn.Close()
				script(n, &exchange{Conn: conn, r: bufio.NewReader(conn), told: p.tell})
			})
		}
	})
	t.Cleanup(p.stop)
	return p
}

func (p *peer) stop() {
	p.Close()
	p.mu.Lock()
	for _, c := range p.conns {
		c.Close()
	}
	p.mu.Unlock()
	p.wg.Wait()
}

// connections is how many were accepted.
func (p *peer) connections() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.served
}

// exchange is one connection to a backend as its script sees it.
type exchange struct {
	net.Conn
	r    *bufio.Reader
	told <-chan struct{}
}

// head reads a request head; "" at the end of the connection.
func (x *exchange) head() string {
	var b strings.Builder
	for {
		line, err := x.r.ReadString('\n')
		b.WriteString(line)
		if err != nil {
			return ""
		}
		if line == "\r\n" {
			return b.String()
		}
	}
}

func (x *exchange) send(s string) { _, _ = io.WriteString(x.Conn, s) }

// reset closes with RST.
func (x *exchange) reset() {
	_ = x.Conn.(*net.TCPConn).SetLinger(0)
	_ = x.Conn.Close()
}

// gone waits until the proxy closes the connection.
func (x *exchange) gone() error {
	_, err := x.r.ReadByte()
	return err
}

// refused is an address that refuses connections for the length of the test.
func refused(t *testing.T) string {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(fd) })
	return bind(t, fd)
}

// bind gives fd a free port of 127.0.0.1, as listenTCP does.
func bind(t *testing.T, fd int) string {
	t.Helper()
	to := &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}
	err := syscall.Bind(fd, to)
	for to.Port = firstPort; err == syscall.EADDRINUSE && to.Port <= lastPort; to.Port++ {
		err = syscall.Bind(fd, to)
	}
	if err != nil {
		t.Fatal(err)
	}
	sa, err := syscall.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	return (&net.TCPAddr{IP: net.IP{127, 0, 0, 1}, Port: sa.(*syscall.SockaddrInet4).Port}).String()
}

const ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

// fine answers every request on a connection.
func fine(_ int, x *exchange) {
	for x.head() != "" {
		x.send(ok)
	}
}

// log collects events.
type log struct {
	mu     sync.Mutex
	events []event.Event
}

func (l *log) Emit(e event.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events = append(l.events, e)
}

// of returns one line per event of the kinds: "ended b1 reset 502".
func (l *log) of(kinds ...event.Kind) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []string
	for _, e := range l.events {
		for _, k := range kinds {
			if e.Kind == k {
				out = append(out, line(e))
			}
		}
	}
	return strings.Join(out, "; ")
}

func line(e event.Event) string {
	words := []string{e.Kind.String(), e.Peer, e.Outcome.String()}
	if e.Status != 0 {
		words = append(words, itoa(e.Status))
	}
	if e.Cached {
		words = append(words, "cached")
	}
	return strings.Join(strings.Fields(strings.Join(words, " ")), " ")
}

func itoa(n int) string {
	return string([]byte{byte('0' + n/100), byte('0' + n/10%10), byte('0' + n%10)})
}

// setting is one proxy under test.
type setting struct {
	*Proxy
	t   *testing.T
	log *log
}

// start serves one location over the peers, named b1, b2, ... change may edit it.
func start(t *testing.T, addresses []string, change func(*upstream.Config, *nginxconf.Pass)) *setting {
	t.Helper()
	return startAt(t, 1, addresses, change)
}

// startAt runs the scenario's clock at speed; text is a configuration text for
// what isn't in the interpreted configuration.
func startAt(t *testing.T, speed float64, addresses []string, change func(*upstream.Config, *nginxconf.Pass), text ...string) *setting {
	t.Helper()
	u := &upstream.Config{Name: "portal"}
	backends := map[string]string{}
	config := &nginxconf.Config{WorkerProcesses: 1, Upstreams: []*upstream.Config{u}}
	config.Tree, _ = nginxconf.Parse("test.conf", []byte(strings.Join(text, "")), nil)
	for i, a := range addresses {
		name := "b" + string(rune('1'+i))
		u.Servers = append(u.Servers, upstream.NewServer(name))
		backends[name] = a
		config.Backends = append(config.Backends, name)
	}
	pass := &nginxconf.Pass{
		Upstream: u, Match: "/",
		ConnectTimeout: 60 * time.Second, SendTimeout: 60 * time.Second, ReadTimeout: 60 * time.Second,
	}
	if change != nil {
		change(u, pass)
	}
	config.Servers = []*nginxconf.Server{{
		Listens:   []nginxconf.Listen{{Address: "80"}},
		Locations: []*nginxconf.Location{{Path: "/", Pass: pass}},
	}}
	k := clock.New(speed)
	k.Begin(time.Now())
	l := &log{}
	p, err := Start(Options{Config: config, Backends: backends, Clock: k, Sink: l})
	if err != nil {
		t.Fatal(err)
	}
	s := &setting{p, t, l}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// dial connects a client.
func (s *setting) dial() *net.TCPConn {
	s.t.Helper()
	c, err := net.Dial("tcp", s.Address(""))
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(20 * time.Second))
	return c.(*net.TCPConn)
}

// ask sends a raw request on a new connection and returns everything until the
// proxy closes it.
func (s *setting) ask(raw string) string {
	s.t.Helper()
	c := s.dial()
	defer c.Close()
	if _, err := io.WriteString(c, raw); err != nil {
		s.t.Fatal(err)
	}
	b, err := io.ReadAll(c)
	if err != nil && !errors.Is(err, syscall.ECONNRESET) {
		s.t.Fatalf("after %q: %v", b, err)
	}
	return string(b)
}

// get asks for a path and closes.
func (s *setting) get(path string) string {
	s.t.Helper()
	return s.ask("GET " + path + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
}

// code is the status of a raw answer, "" for none.
func code(answer string) string {
	if len(answer) < 12 {
		return ""
	}
	return answer[9:12]
}

// content is what is behind the head of a raw answer.
func content(answer string) string {
	_, b, _ := strings.Cut(answer, "\r\n\r\n")
	return b
}

// eventually waits for a condition that other goroutines bring about.
func eventually(t *testing.T, what string, cond func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); ; {
		if cond() {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
		time.Sleep(time.Millisecond)
	}
}

// addrs are the addresses of peers.
func addrs(ps ...*peer) (out []string) {
	for _, p := range ps {
		out = append(out, p.Addr().String())
	}
	return out
}

// readAnswer reads one answer with a Content-Length or chunks off a connection.
func readAnswer(t *testing.T, r *bufio.Reader) string {
	t.Helper()
	var b bytes.Buffer
	length, chunked := 0, false
	for {
		l, err := r.ReadString('\n')
		if err != nil {
			t.Fatalf("after %q: %v", b.String(), err)
		}
		b.WriteString(l)
		if l == "\r\n" {
			break
		}
		name, value, _ := strings.Cut(strings.TrimSpace(l), ": ")
		switch name {
		case "Content-Length":
			for _, c := range value {
				length = length*10 + int(c-'0')
			}
		case "Transfer-Encoding":
			chunked = true
		}
	}
	if !chunked {
		if _, err := io.CopyN(&b, r, int64(length)); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	for !strings.HasSuffix(b.String(), "\r\n0\r\n\r\n") {
		c, err := r.ReadByte()
		if err != nil {
			t.Fatalf("after %q: %v", b.String(), err)
		}
		b.WriteByte(c)
	}
	return b.String()
}

func sizeOf(s string) string { return strconv.Itoa(len(s)) }

func hex(n int) string { return strconv.FormatInt(int64(n), 16) }
