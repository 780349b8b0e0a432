package reference

import (
	"strings"
	"testing"
	"time"

	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/nginxconf"
	"github.com/nolive/nolive/proxy/upstream"
)

// Each way of failing is told as what it is, counts, and the next peer answers.
func TestEveryFailureOfTheHeaderGoesToTheNextPeer(t *testing.T) {
	tests := []struct {
		name   string
		script func(int, *exchange)
		want   string // the first attempt's end
		status string
	}{
		{"reset after the request", func(_ int, x *exchange) { x.head(); x.reset() }, "ended b1 reset 502", "200"},
		{"closed after the request", func(_ int, x *exchange) { x.head() }, "ended b1 closed 502", "200"},
		{"closed inside the header", func(_ int, x *exchange) { x.head(); x.send("HTTP/1.1 200 OK\r\nA: b") }, "ended b1 closed 502", "200"},
		{"reset inside the header", func(_ int, x *exchange) {
			x.head()
			x.send("HTTP/1.1 200 OK\r\nA: b")
			time.Sleep(5 * time.Millisecond) // lets the bytes arrive before the RST; the outcome doesn't depend on it
			x.reset()
		}, "ended b1 reset 502", "200"},
		{"no answer", func(_ int, x *exchange) { x.head(); _ = x.gone() }, "ended b1 read_timeout 504", "200"},
		{"no end of the header", func(_ int, x *exchange) {
			x.head()
			x.send("HTTP/1.1 200 OK\r\nA: b\r\n")
			_ = x.gone()
		}, "ended b1 read_timeout 504", "200"},
		{"header too big", func(_ int, x *exchange) {
			x.head()
			x.send("HTTP/1.1 200 OK\r\nA: " + strings.Repeat("b", page) + "\r\n\r\n")
			_ = x.gone()
		}, "ended b1 invalid_header 502", "502"}, // invalid_header isn't listed by default
		{"invalid header", func(_ int, x *exchange) { x.head(); x.send("HTTP/1.1 200 OK\r\nA b: c\r\n\r\n") },
			"ended b1 invalid_header 502", "502"},
		{"listed status", func(_ int, x *exchange) { x.head(); x.send("HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n") },
			"ended b1 listed 503", "200"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			bad, good := play(t, tt.script), play(t, fine)
			s := startAt(t, 10, addrs(bad, good), func(_ *upstream.Config, p *nginxconf.Pass) {
				if strings.Contains(tt.want, "timeout") {
					p.ReadTimeout = time.Second
				}
				p.Policy.Next = upstream.Error | upstream.Timeout | upstream.HTTP503
			})
			if got := code(s.get("/")); got != tt.status {
				t.Errorf("status %s, want %s", got, tt.status)
			}
			ended := s.log.of(event.AttemptEnded)
			if first, _, _ := strings.Cut(ended, "; "); first != tt.want {
				t.Errorf("got %q, want %q", first, tt.want)
			}
			if got := s.log.of(event.PeerMarked); got == "" {
				t.Error("the failure wasn't counted")
			}
		})
	}
}

func TestRefused(t *testing.T) {
	good := play(t, fine)
	s := start(t, []string{refused(t), good.Addr().String()}, nil)
	if got := code(s.get("/")); got != "200" {
		t.Errorf("status %s", got)
	}
	if got, want := s.log.of(event.AttemptEnded, event.ProxyAnswered), "ended b1 refused 502; ended b2 passed 200; answered 200"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// A POST whose connect was refused goes on to the next peer; one that was sent doesn't.
func TestPostIsRepeatedOnlyWhenItWasNotSent(t *testing.T) {
	const post = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello"
	got := make(chan string, 4)
	good := play(t, func(_ int, x *exchange) {
		h := x.head()
		b := make([]byte, 5)
		for i := range b {
			b[i], _ = x.r.ReadByte()
		}
		got <- h + string(b)
		x.send(ok)
	})
	s := start(t, []string{refused(t), good.Addr().String()}, nil)
	if a := s.ask(post); code(a) != "200" {
		t.Fatalf("answer %q", a)
	}
	if h := <-got; !strings.HasSuffix(h, "\r\n\r\nhello") || !strings.Contains(h, "\r\nContent-Length: 5\r\n") {
		t.Errorf("backend got %q", h)
	}

	bad := play(t, func(_ int, x *exchange) { x.head(); x.reset() })
	s = start(t, addrs(bad, good), nil)
	if a := s.ask(post); code(a) != "502" {
		t.Errorf("answer %q", a)
	}
	s = start(t, addrs(bad, good), func(_ *upstream.Config, p *nginxconf.Pass) {
		p.Policy.Next = upstream.Error | upstream.NonIdempotent
	})
	if a := s.ask(post); code(a) != "200" {
		t.Errorf("answer %q", a)
	}
	if h := <-got; !strings.HasSuffix(h, "hello") {
		t.Errorf("the second backend got %q", h)
	}
}

// proxy_read_timeout limits the whole header, however steadily it drips: a limit
// for the gaps would let this one pass.
func TestReadTimeoutIsForTheWholeHeader(t *testing.T) {
	p := play(t, func(_ int, x *exchange) {
		x.head()
		for _, c := range "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n" {
			x.send(string(c))
			time.Sleep(15 * time.Millisecond)
		}
	})
	s := startAt(t, 10, addrs(p), func(_ *upstream.Config, p *nginxconf.Pass) { p.ReadTimeout = time.Second })
	began := s.clock.Now()
	if got := code(s.get("/")); got != "504" {
		t.Errorf("status %s", got)
	}
	took := s.clock.Now() - began
	if took < time.Second {
		t.Errorf("took %v of scenario time", took)
	}
}

// nginx's own words when nobody is left.
func TestNoLiveUpstreams(t *testing.T) {
	s := start(t, []string{refused(t), refused(t)}, nil)
	s.get("/")
	a := s.get("/")
	if code(a) != "502" || !strings.Contains(a, "<center><h1>502 Bad Gateway</h1></center>") {
		t.Errorf("answer %q", a)
	}
	if got := s.log.of(event.NoLive, event.AttemptStarted); got != "attempt b1; attempt b2; no_live" {
		t.Errorf("got %s", got)
	}
}

// What isn't HTTP is an HTTP/0.9 answer to nginx 1.22, passed on as it is.
func TestGarbageIsPassedOn(t *testing.T) {
	p := play(t, func(_ int, x *exchange) { x.head(); x.send("garbage\r\nmore") })
	s := start(t, addrs(p), nil)
	if a := s.get("/"); a != "garbage\r\nmore" {
		t.Errorf("answer %q", a)
	}
	if got := s.log.of(event.AttemptEnded, event.ProxyAnswered); got != "ended b1 passed 200; answered 009" {
		t.Errorf("got %s", got)
	}
}
