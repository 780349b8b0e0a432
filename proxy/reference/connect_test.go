package reference

import (
	"io"
	"net"
	"syscall"
	"testing"
	"time"

	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/nginxconf"
	"github.com/nolive/nolive/proxy/upstream"
)

// blackhole is an address whose SYNs go unanswered: its queue is full.
func blackhole(t *testing.T) string {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(fd) })
	address := bind(t, fd)
	if err := syscall.Listen(fd, 0); err != nil {
		t.Fatal(err)
	}
	plug, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = plug.Close() })
	return address
}

// A connect that times out is no sent request: even a POST goes on (vector V26).
func TestConnectTimeout(t *testing.T) {
	good := play(t, fine)
	s := startAt(t, 10, []string{blackhole(t), good.Addr().String()}, func(_ *upstream.Config, p *nginxconf.Pass) { p.ConnectTimeout = time.Second })
	began := s.clock.Now()
	if a := s.ask("POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"); code(a) != "200" {
		t.Errorf("answer %q", a)
	}
	if took := s.clock.Now() - began; took < time.Second {
		t.Errorf("took %v of scenario time", took)
	}
	if got := s.log.of(event.AttemptEnded, event.PeerMarked); got != "ended b1 connect_timeout 504; marked b1 connect_timeout 504; ended b2 passed 200" {
		t.Errorf("got %s", got)
	}
	if s.clock.Lateness().Jitter(1).Count == 0 {
		t.Error("the time-out's lateness wasn't noted")
	}
}

// A client that leaves ends a connect too.
func TestAbortWhileConnecting(t *testing.T) {
	s := start(t, []string{blackhole(t), refused(t)}, nil)
	c := s.dial()
	_, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
	eventually(t, "an attempt", func() bool { return s.log.of(event.AttemptStarted) != "" })
	_ = c.Close()
	eventually(t, "the request is done", func() bool { return s.log.of(event.ProxyAnswered) != "" })
	if got := s.log.of(event.AttemptEnded, event.ProxyAnswered); got != "ended b1 aborted; answered 499" {
		t.Errorf("got %s", got)
	}
}

// Closing the proxy ends a connect.
func TestCloseWhileConnecting(t *testing.T) {
	s := start(t, []string{blackhole(t)}, func(_ *upstream.Config, p *nginxconf.Pass) { p.IgnoreClientAbort = true })
	c := s.dial()
	_, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
	eventually(t, "an attempt", func() bool { return s.log.of(event.AttemptStarted) != "" })
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
