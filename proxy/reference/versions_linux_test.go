package reference

import (
	"io"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/nolive/nolive/harness/event"
)

// A client that sends its request and its FIN in one has left since 1.19.9, and gets its
// answer before.
func TestEndWithTheRequest(t *testing.T) {
	for version, want := range map[string]string{"1.19.8": "answered 200", "1.19.9": "answered 499"} {
		backend := play(t, whenTold)
		s := startOf(t, version, backend)
		p, l := s.Proxy, s.log
		c := s.dial()
		raw, err := c.SyscallConn()
		if err != nil {
			t.Fatal(err)
		}
		_ = raw.Control(func(fd uintptr) { err = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_CORK, 1) })
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(c, "GET /echo HTTP/1.1\r\nHost: a\r\n\r\n")
		_ = c.CloseWrite() // sends what is corked, and the FIN with it
		if want == "answered 200" {
			eventually(t, "the request is on its way", func() bool { return l.count() == 1 })
		} else {
			eventually(t, "the request is over", func() bool { return l.of(event.ProxyAnswered) != "" })
		}
		close(backend.tell)
		_, _ = io.ReadAll(c)
		eventually(t, "the request is over", func() bool { return l.of(event.ProxyAnswered) != "" })
		if got := l.of(event.ProxyAnswered); got != want {
			t.Errorf("%s: %s, want %s", version, got, want)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}
