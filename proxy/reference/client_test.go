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
			if how == "half-close with the request" {
				// The proxy may have noticed before it connected; if it did connect,
				// that connection ends.
				eventually(t, "the request is done", func() bool { return s.log.of(event.ProxyAnswered) != "" })
				select {
				case <-asked:
				default:
					left <- at
				}
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
