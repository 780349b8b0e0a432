package reference

import (
	"bufio"
	"io"
	"net"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/nolive/nolive/harness/freeport"
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
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(fd) })
	return bind(t, fd)
}

// bind gives fd a free port of 127.0.0.1, as listenTCP does.
func bind(t *testing.T, fd int) string {
	t.Helper()
	if err := freeport.Bind(func(port int) error {
		return syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}, Port: port})
	}); err != nil {
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

// addrs are the addresses of peers.
func addrs(ps ...*peer) (out []string) {
	for _, p := range ps {
		out = append(out, p.Addr().String())
	}
	return out
}
