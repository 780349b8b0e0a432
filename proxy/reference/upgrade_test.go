package reference

import (
	"bufio"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/nginxconf"
	"github.com/nolive/nolive/proxy/upstream"
)

// shouter is a backend that changes the protocol, says "welcome" at once, and
// sends back what comes.
func shouter(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				r := bufio.NewReader(c)
				for line := ""; line != "\r\n"; {
					if line, err = r.ReadString('\n'); err != nil {
						return
					}
				}
				_, _ = io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: shout\r\nConnection: Upgrade\r\n\r\nwelcome")
				_, _ = io.Copy(c, r)
			}()
		}
	}()
	return ln.Addr().String()
}

const upgrade = "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: shout\r\nConnection: Upgrade\r\n\r\n"

// After a 101 bytes go both ways, also those that came with the request or with
// the head, until the client leaves, and that is an answer passed on.
func TestUpgrade(t *testing.T) {
	s := start(t, []string{shouter(t)}, nil)
	c := s.dial()
	_, _ = io.WriteString(c, upgrade+"early")
	r := bufio.NewReader(c)
	head := readAnswer(t, r)
	if code(head) != "101" || !strings.Contains(head, "\r\nConnection: upgrade\r\n") || !strings.Contains(head, "Upgrade: shout") {
		t.Errorf("head %q", head)
	}
	for _, want := range []string{"welcome" + "early", "hello"} {
		if want == "hello" {
			_, _ = io.WriteString(c, want)
		}
		got := make([]byte, len(want))
		if _, err := io.ReadFull(r, got); err != nil || string(got) != want {
			t.Fatalf("got %q and %v, want %q", got, err, want)
		}
	}
	_ = c.Close()
	eventually(t, "the end", func() bool { return s.log.of(event.ProxyAnswered) != "" })
	if got := s.log.of(event.AttemptEnded, event.ProxyAnswered); got != "ended b1 passed 101; answered 101" {
		t.Error(got)
	}
}

// Without a byte for proxy_read_timeout both ends are closed; one of the client's
// starts it anew, unless that moves it by less than 300 ms: nginx leaves it then, and
// closed such a connection a second after the answer, too.
func TestUpgradeTimesOut(t *testing.T) {
	const patience = time.Second
	for _, x := range []struct{ pause, soonest, latest time.Duration }{
		{280 * time.Millisecond, patience, patience + 140*time.Millisecond},
		{patience / 2, patience / 2 * 3, time.Hour},
	} {
		// A busy machine makes it end later, never sooner.
		took := time.Hour
		for try := 0; try < 9 && took > x.latest; try++ {
			took = tunnelEnds(t, patience, x.pause)
		}
		if took < x.soonest-50*time.Millisecond || took > x.latest {
			t.Errorf("hello after %v: ends after %v, want %v to %v", x.pause, took, x.soonest, x.latest)
		}
	}
}

// tunnelEnds is how long a tunnel lasts in which the client says something, once.
func tunnelEnds(t *testing.T, patience, pause time.Duration) time.Duration {
	s := start(t, []string{shouter(t)}, func(_ *upstream.Config, p *nginxconf.Pass) { p.ReadTimeout = patience })
	c := s.dial()
	_, _ = io.WriteString(c, upgrade)
	if _, err := c.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	time.Sleep(pause)
	_, _ = io.WriteString(c, "hello")
	got, err := io.ReadAll(c)
	took := time.Since(began)
	if err != nil || !strings.HasSuffix(string(got), "\r\n\r\nwelcomehello") {
		t.Errorf("hello after %v: got %q and %v", pause, got, err)
	}
	if got := s.log.of(event.AttemptEnded, event.PeerMarked); got != "ended b1 passed 101" {
		t.Error(got)
	}
	return took
}

// A client that asked for nothing gets no tunnel, and of a response that breaks off
// what fills a page.
func TestUpgradeThatNobodyAskedFor(t *testing.T) {
	s := start(t, []string{shouter(t)}, func(_ *upstream.Config, p *nginxconf.Pass) { p.ReadTimeout = 200 * time.Millisecond })
	if got := s.get("/"); code(got) != "101" || content(got) != "" {
		t.Errorf("got %q", got)
	}
	if got := s.log.of(event.AttemptEnded); got != "ended b1 truncated 101" {
		t.Error(got)
	}
}
