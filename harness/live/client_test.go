package live

import (
	"io"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/clock"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/scenario"
)

// What a client sees is told from the wire alone.
func TestOutcomes(t *testing.T) {
	const head = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"
	const chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
	const open = "HTTP/1.0 200 OK\r\n\r\n"
	say := func(parts ...string) func(*peer) {
		return func(c *peer) {
			for _, p := range parts {
				c.say(p)
				time.Sleep(time.Millisecond) // so that the parts are apart on the wire, mostly
			}
		}
	}
	closing := func(f func(*peer)) func(*peer) { return func(c *peer) { f(c); c.Close() } }
	cutting := func(f func(*peer)) func(*peer) { return func(c *peer) { f(c); c.reset() } }
	silent := say()
	soon := scenario.Client{Timeout: 60 * time.Millisecond}

	for _, tt := range []struct {
		name   string
		play   func(*peer)
		client scenario.Client
		method string
		want   event.Outcome
		status int
	}{
		{name: "a body of the announced length", play: say(head, "0123456789"), want: event.Passed, status: 200},
		{name: "a chunked body", play: say(chunked, "5\r\n01234\r\n", "0\r\n\r\n"), want: event.Passed, status: 200},
		{name: "a body that closing ends", play: closing(say(open, "0123456789")), want: event.Passed, status: 200},
		{name: "no body", play: say("HTTP/1.1 204 No Content\r\n\r\n"), want: event.Passed, status: 204},
		{name: "an answer to HEAD", method: "HEAD", play: say(head), want: event.Passed, status: 200},
		{name: "an error of the proxy", play: say("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 2\r\n\r\n:("), want: event.Passed, status: 502},
		{name: "early hints first", play: say("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n", head, "0123456789"), want: event.Passed, status: 200},
		{name: "one byte at a time", play: func(c *peer) {
			for _, b := range head + "0123456789" {
				c.say(string(b))
			}
		}, want: event.Passed, status: 200},

		{name: "closed at once", play: closing(silent), want: event.Closed},
		{name: "reset at once", play: cutting(silent), want: event.Closed},
		{name: "closed inside the status line", play: closing(say("HTTP/1.1 20")), want: event.Closed},
		{name: "closed after early hints", play: closing(say("HTTP/1.1 103 Early Hints\r\n\r\n")), want: event.Closed},

		{name: "closed inside the header", play: closing(say("HTTP/1.1 200 OK\r\nContent-Le")), want: event.Truncated, status: 200},
		{name: "reset inside the header", play: cutting(say("HTTP/1.1 200 OK\r\nContent-Le")), want: event.Truncated, status: 200},
		{name: "fewer bytes than announced", play: closing(say(head, "01234")), want: event.Truncated, status: 200},
		{name: "a reset inside the body", play: cutting(say(head, "01234")), want: event.Truncated, status: 200},
		{name: "no last chunk", play: closing(say(chunked, "5\r\n01234\r\n")), want: event.Truncated, status: 200},
		{name: "closed inside a chunk", play: closing(say(chunked, "5\r\n012")), want: event.Truncated, status: 200},
		{name: "a reset inside a body without length", play: cutting(say(open, "01234")), want: event.Truncated, status: 200},

		{name: "not HTTP", play: say("garbage\r\n\r\n"), want: event.InvalidHeader},
		{name: "a header line without a colon", play: say("HTTP/1.1 200 OK\r\nnonsense\r\n\r\n"), want: event.InvalidHeader, status: 200},
		{name: "an endless status line", play: closing(say("HTTP/1.1 200 " + strings.Repeat("a", 1<<16))), want: event.InvalidHeader},
		{name: "an endless header", play: func(c *peer) {
			c.say("HTTP/1.1 200 OK\r\n")
			for range 4 << 10 {
				c.say("A: " + strings.Repeat("a", 1<<10) + "\r\n")
			}
		}, want: event.InvalidHeader, status: 200},

		{name: "no answer in time", play: silent, client: soon, want: event.ClientTimeout},
		{name: "no end in time", play: say(head, "01234"), client: soon, want: event.ClientTimeout},
		{name: "no end of the header in time", play: say("HTTP/1.1 200 OK\r\n"), client: soon, want: event.ClientTimeout},
		{name: "in time", play: say(ok), client: scenario.Client{Timeout: 10 * time.Second}, want: event.Passed, status: 200},
	} {
		t.Run(tt.name, func(t *testing.T) {
			left := make(chan bool, 1)
			s := serve(t, func(_ int, c *peer) {
				c.request()
				tt.play(c)
				left <- c.rest()
			})
			b := newBench(t, s.address(), scenario.Traffic{Method: tt.method, Client: tt.client}, 1)
			e := b.ask(t, &idle{}, 1)
			if e.Outcome != tt.want || e.Status != tt.status {
				t.Errorf("got %v %d, want %v %d", e.Outcome, e.Status, tt.want, tt.status)
			}
			if s.accepted() == 0 {
				return // on a busy machine the time-out can come before the connection
			}
			select {
			case <-left:
			case <-time.After(5 * time.Second):
				t.Error("the client never closed its connection")
			}
		})
	}
}

// A proxy that isn't there is refused, not closed.
func TestRefused(t *testing.T) {
	l := listen(t)
	l.Close()
	b := newBench(t, l.Addr().String(), scenario.Traffic{}, 1)
	if e := b.ask(t, &idle{}, 1); e.Outcome != event.ClientRefused {
		t.Errorf("got %v, want %v", e.Outcome, event.ClientRefused)
	}
}

// A client that has its answer leaves no port behind in TIME_WAIT: it ends the
// connection with a RST. One that gives up closes it in order, as curl does.
func TestHowClientsLeave(t *testing.T) {
	for _, tt := range []struct {
		name    string
		answer  string
		orderly bool
	}{
		{"with the answer", ok, false},
		{"without", "", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			orderly := make(chan bool, 1)
			s := serve(t, func(_ int, c *peer) { c.request(); c.say(tt.answer); orderly <- c.rest() })
			b := newBench(t, s.address(), scenario.Traffic{Client: scenario.Client{Timeout: time.Second}}, 1)
			b.ask(t, &idle{}, 1)
			if got := <-orderly; got != tt.orderly {
				t.Errorf("closed in order: %v, want %v", got, tt.orderly)
			}
		})
	}
}

// The client's own time-out counts from the planned instant and in scenario time.
func TestTimeoutInScenarioTime(t *testing.T) {
	s := serve(t, func(_ int, c *peer) { c.request(); c.rest() })
	b := newBench(t, s.address(), scenario.Traffic{Client: scenario.Client{Timeout: 30 * time.Second}}, 300)
	sent := b.clock.Now()
	e := b.ask(t, &idle{}, 1)
	// Whoever is late here is the test, never early.
	if got := e.At - sent; e.Outcome != event.ClientTimeout || got < 30*time.Second {
		t.Errorf("%v after %v of scenario time, want client_timeout after 30s", e.Outcome, got)
	}
}

// What goes over the wire is what curl would send, and the id.
func TestRequestBytes(t *testing.T) {
	for _, tt := range []struct {
		name string
		spec scenario.Traffic
		want []string
	}{
		{"plain", scenario.Traffic{},
			[]string{"GET / HTTP/1.1", "Host: example.test", "X-Nolive-Request: curl/7"}},
		{"http 1.0", scenario.Traffic{Client: scenario.Client{HTTP10: true}},
			[]string{"GET / HTTP/1.0", "Host: example.test", "X-Nolive-Request: curl/7"}},
		{"http 1.0 kept alive", scenario.Traffic{Client: scenario.Client{HTTP10: true, Keepalive: true}},
			[]string{"GET / HTTP/1.0", "Host: example.test", "Connection: keep-alive", "X-Nolive-Request: curl/7"}},
		{"headers of the scenario win", scenario.Traffic{Headers: []fault.Header{{Name: "A", Value: "1"}, {Name: "host", Value: "shop"}}},
			[]string{"GET / HTTP/1.1", "A: 1", "host: shop", "X-Nolive-Request: curl/7"}},
		{"a body", scenario.Traffic{Method: "POST", Body: 3},
			[]string{"POST / HTTP/1.1", "Host: example.test", "Content-Length: 3", "X-Nolive-Request: curl/7", "", "xxx"}},
		{"a body in chunks", scenario.Traffic{Method: "POST", Body: 18, Chunked: true},
			[]string{"POST / HTTP/1.1", "Host: example.test", "Transfer-Encoding: chunked", "X-Nolive-Request: curl/7", "", "12", "xxxxxxxxxxxxxxxxxx", "0"}},
		{"a method that is expected to have a body", scenario.Traffic{Method: "PUT"},
			[]string{"PUT / HTTP/1.1", "Host: example.test", "Content-Length: 0", "X-Nolive-Request: curl/7"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := make(chan string, 1)
			s := serve(t, func(_ int, c *peer) {
				b := make([]byte, 1<<10)
				n, _ := c.Read(b) // one read: head and a small body are one write
				got <- string(b[:n])
				c.say(ok)
				c.rest()
			})
			b := newBench(t, s.address(), tt.spec, 1)
			b.ask(t, &idle{}, 7)
			if diff := cmp.Diff(tt.want, lines(<-got)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// A body larger than every buffer arrives whole, and a server that answers
// without reading it is heard.
func TestLargeBody(t *testing.T) {
	const size = 20 << 20
	spec := scenario.Traffic{Method: "POST", Body: size, Client: scenario.Client{Timeout: 20 * time.Second}}
	t.Run("read", func(t *testing.T) {
		got := make(chan int64, 1)
		s := serve(t, func(_ int, c *peer) {
			for line := ""; line != "\r\n"; {
				line, _ = c.br.ReadString('\n')
			}
			n, _ := io.CopyN(io.Discard, c.br, size)
			got <- n
			c.say(ok)
			c.rest()
		})
		e := newBench(t, s.address(), spec, 1).ask(t, &idle{}, 1)
		if n := <-got; n != size || e.Outcome != event.Passed {
			t.Errorf("%d bytes arrived and the client saw %v, want %d and passed", n, e.Outcome, size)
		}
	})
	t.Run("not read", func(t *testing.T) {
		s := serve(t, func(_ int, c *peer) {
			c.say("HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n")
			<-t.Context().Done()
		})
		began := time.Now()
		e := newBench(t, s.address(), spec, 1).ask(t, &idle{}, 1)
		if e.Outcome != event.Passed || e.Status != 413 || time.Since(began) > 5*time.Second {
			t.Errorf("got %v %d after %v, want passed 413 at once", e.Outcome, e.Status, time.Since(began))
		}
	})
}

// Latency counts from the planned send, and how late the send was is noted.
func TestLateSend(t *testing.T) {
	s := serve(t, answering)
	b := newBench(t, s.address(), scenario.Traffic{}, 1)
	time.Sleep(20 * time.Millisecond)
	o := b.begin(event.Request{Traffic: "curl", N: 1}, 0) // due 20 ms ago
	if _, ok := b.send(t.Context(), &idle{}, o); !ok {
		t.Fatal("the run ended")
	}
	if e := b.record.all()[0]; e.Kind != event.RequestSent || e.At != 0 {
		t.Errorf("sent at %v, want the planned instant 0s", e.At)
	}
	if j := b.clock.Lateness().Jitter(clock.Send); j.Count != 1 || j.Max < 19*time.Millisecond {
		t.Errorf("noted %d sends, up to %v late, want 1 and at least 20ms", j.Count, j.Max)
	}
}

// A connection that was kept and ends without an answer after a while is no fault of
// the machine's: what is asked again is due when it ended.
func TestAskedAgainIsNotLate(t *testing.T) {
	const pause = 300 * time.Millisecond
	s := serve(t, func(n int, c *peer) {
		c.request()
		c.say(ok)
		if n == 1 {
			c.request()
			time.Sleep(pause)
			c.Close()
		}
		c.rest()
	})
	b, kept := newBench(t, s.address(), scenario.Traffic{Client: scenario.Client{Keepalive: true}}, 1), &idle{}
	b.ask(t, kept, 1)
	began := time.Now()
	if e := b.ask(t, kept, 2); e.Outcome != event.Passed || s.accepted() != 2 || time.Since(began) < pause {
		t.Fatalf("got %v on %d connections after %v, want passed on the second", e.Outcome, s.accepted(), time.Since(began))
	}
	if j := b.clock.Lateness().Jitter(clock.Send); j.Max > pause/2 {
		t.Errorf("noted sends up to %v late", j.Max)
	}
}

// A client without a port, or a socket, may have one in a slower run; one whose process
// may open no more files is told so, and hasn't at any speed.
func TestNoConnectionToBeHad(t *testing.T) {
	for _, x := range []struct {
		err   error
		again bool
		want  string
	}{
		{syscall.EADDRNOTAVAIL, true, "a client could not open a connection: "},
		{syscall.EMFILE, false, "a client could not open a connection: too many open files; raise the limit of this process (ulimit -n)"},
	} {
		b := newBench(t, "127.0.0.1:1", scenario.Traffic{}, 30)
		b.dialer.Control = func(string, string, syscall.RawConn) error { return x.err }
		conn, outcome := b.dial(t.Context(), scenario.Address{}, time.Time{})
		if conn != nil || outcome != 0 || len(b.failed) != 1 || b.failed[0].again != x.again || !strings.HasPrefix(b.failed[0].reason, x.want) {
			t.Errorf("%v: %v, %v, %+v", x.err, conn, outcome, b.failed)
		}
	}
}
