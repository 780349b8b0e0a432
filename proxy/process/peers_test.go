package process

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// peer is a backend that does the same with every connection.
type peer struct {
	name string
	// play reads requests itself; nil never listens.
	play func(c net.Conn, r *bufio.Reader)
}

// head reads a request's head, and its body if it has one; false at the end.
func head(r *bufio.Reader) bool {
	length := 0
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return false
		}
		_, _ = fmt.Sscanf(strings.ToLower(line), "content-length: %d", &length)
		if line == "\r\n" {
			_, err := io.CopyN(io.Discard, r, int64(length))
			return err == nil
		}
	}
}

// says answers every request with the same bytes, then closes if it is told to.
func says(text string) func(net.Conn, *bufio.Reader) {
	return func(c net.Conn, r *bufio.Reader) {
		for head(r) {
			if _, err := io.WriteString(c, text); err != nil {
				return
			}
			if !strings.Contains(text, "Connection: keep-alive") {
				return
			}
		}
	}
}

// peers are what backends do.
var peers = []peer{
	{"DEAD", nil},
	{"FINE", says("HTTP/1.1 200 OK\r\nServer: peer\r\nX-Peer: fine\r\nSet-Cookie: a=1; Path=/\r\nContent-Type: text/x\r\nContent-Length: 4\r\nConnection: keep-alive\r\n\r\nfine")},
	{"STALE", func(c net.Conn, r *bufio.Reader) {
		if head(r) {
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: keep-alive\r\nX-Peer: a\r\nX-Peer: b\r\n\r\nstale")
			head(r) // and no answer
		}
	}},
	{"CHUNKED", says("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: keep-alive\r\n\r\n4\r\nfine\r\n0\r\n\r\n")},
	{"OLD", says("HTTP/1.0 200 OK\r\nContent-Type: text/old\r\n\r\nuntil the end")},
	{"HANG", func(_ net.Conn, r *bufio.Reader) { head(r); _, _ = r.ReadByte() }},
	{"HALFHEAD", func(c net.Conn, r *bufio.Reader) {
		head(r)
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nX: y\r\n")
		_, _ = r.ReadByte()
	}},
	{"RESET", func(c net.Conn, r *bufio.Reader) { head(r); _ = c.(*net.TCPConn).SetLinger(0) }},
	{"CLOSED", func(_ net.Conn, r *bufio.Reader) { head(r) }},
	{"BADHEADER", says("HTTP/1.1 200 OK\r\nGood: x\r\nBad header: x\r\n\r\n")},
	{"BIGHEADER", says("HTTP/1.1 200 OK\r\nX: " + strings.Repeat("y", 5000) + "\r\n\r\n")},
	{"NINE", says("hello\r\n")},
	{"BUSY", says("HTTP/1.1 503 Busy\r\nContent-Length: 5\r\n\r\nbusy\n")},
	{"CUT", says("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\ncut")},
	{"CUTRESET", func(c net.Conn, r *bufio.Reader) {
		head(r)
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\ncut")
		time.Sleep(50 * time.Millisecond) // the proxy reads what came before the RST
		_ = c.(*net.TCPConn).SetLinger(0)
	}},
	{"CUTHANG", func(c net.Conn, r *bufio.Reader) {
		head(r)
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\ncut")
		_, _ = r.ReadByte()
	}},
	{"BADCHUNK", says("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")},
}

// listenPeers starts all of them; the names are replaced by addresses.
func listenPeers(t *testing.T) (replace []string) {
	t.Helper()
	// The longest names first: one may begin another.
	all := slices.Clone(peers)
	slices.SortFunc(all, func(a, b peer) int { return len(b.name) - len(a.name) })
	for _, p := range all {
		if p.play == nil {
			replace = append(replace, p.name, refusing(t))
			continue
		}
		replace = append(replace, p.name, playing(t, p.play))
	}
	return replace
}

// playing is the address of a peer that plays f on every connection and then closes it.
func playing(t *testing.T, f func(net.Conn, *bufio.Reader)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				_ = c.SetDeadline(time.Now().Add(patience))
				f(c, bufio.NewReader(c))
			}()
		}
	}()
	return l.Addr().String()
}

// refusing is an address that nobody else gets and that refuses.
func refusing(t *testing.T) string {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(fd) })
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	at, err := syscall.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("127.0.0.1:%d", at.(*syscall.SockaddrInet4).Port)
}
