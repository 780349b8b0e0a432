package live

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/nolive/nolive/harness/clock"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/scenario"
)

// fake is a TCP server written for one test: handle plays one connection, the
// n-th from 1, and may leave it open; it is closed with the server.
type fake struct {
	net.Listener
	mu    sync.Mutex
	conns []net.Conn
	wg    sync.WaitGroup
	// heads counts the requests that were read.
	heads atomic.Int32
}

func serve(t testing.TB, handle func(n int, c *peer)) *fake {
	t.Helper()
	f := &fake{Listener: listen(t)}
	l := f.Listener
	f.wg.Go(func() {
		for n := 1; ; n++ {
			c, err := l.Accept()
			if err != nil {
				return
			}
			f.mu.Lock()
			f.conns = append(f.conns, c)
			f.mu.Unlock()
			f.wg.Go(func() { handle(n, &peer{TCPConn: c.(*net.TCPConn), br: bufio.NewReader(c), heads: &f.heads}) })
		}
	})
	t.Cleanup(f.stop)
	return f
}

func (f *fake) address() string { return f.Addr().String() }

// listen listens on a free port. A benchmark that ran just before may have left
// them all in TIME_WAIT, for a minute.
func listen(t testing.TB) net.Listener {
	t.Helper()
	for end := time.Now().Add(70 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err == nil {
			return l
		}
		if !errors.Is(err, syscall.EADDRINUSE) || time.Now().After(end) {
			t.Fatal(err)
		}
	}
}

// accepted counts the connections so far.
func (f *fake) accepted() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.conns)
}

// stop ends the server; a second call does nothing.
func (f *fake) stop() {
	f.Close()
	f.mu.Lock()
	for _, c := range f.conns {
		c.Close()
	}
	f.mu.Unlock()
	f.wg.Wait()
}

// peer is the server's side of a connection.
type peer struct {
	*net.TCPConn
	br    *bufio.Reader
	heads *atomic.Int32
}

// request reads one request, with its body; nil when the client is gone.
func (p *peer) request() *http.Request {
	r, err := http.ReadRequest(p.br)
	if err != nil {
		return nil
	}
	p.heads.Add(1)
	io.Copy(io.Discard, r.Body)
	return r
}

func (p *peer) say(s string) { io.WriteString(p, s) }

// reset cuts the connection with a RST.
func (p *peer) reset() {
	p.SetLinger(0)
	p.Close()
}

// rest waits until the client closes and says whether it did so in order.
func (p *peer) rest() bool {
	_, err := io.Copy(io.Discard, p.br)
	return err == nil
}

const ok = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok\n"

// answering answers every request on every connection with 200.
func answering(_ int, c *peer) {
	for c.request() != nil {
		c.say(ok)
	}
	c.Close()
}

// bench is a client and what it needs.
type bench struct {
	*client
	record recorder
	failed []*invalid
}

// newBench makes a client of one traffic against an address, whose clock runs at speed.
func newBench(t testing.TB, address string, spec scenario.Traffic, speed float64) *bench {
	t.Helper()
	at, err := resolve(address)
	if err != nil {
		t.Fatal(err)
	}
	c := clock.New(speed)
	c.Begin(time.Now())
	if spec.Name == "" {
		spec.Name = "curl"
	}
	if spec.Method == "" {
		spec.Method = "GET"
	}
	if spec.Path == "" {
		spec.Path = "/"
	}
	b := &bench{}
	b.client = newClient(client{
		spec: &spec, clock: c, sink: &b.record, flight: newFlight(MaxOutstanding), address: at,
		fail: func(why *invalid) { b.failed = append(b.failed, why) },
	}, "example.test")
	return b
}

// ask sends request n now and returns what the client saw.
func (b *bench) ask(t testing.TB, idle *idle, n int) event.Event {
	t.Helper()
	o := b.begin(event.Request{Traffic: b.spec.Name, N: n}, b.clock.Now())
	if o == nil {
		t.Fatal("the request could not begin")
	}
	if _, ok := b.send(t.Context(), idle, o); !ok {
		t.Fatal("the run ended")
	}
	e := b.record.all()[len(b.record.all())-1]
	if e.Kind != event.ResponseEnded || e.Request.N != n {
		t.Fatalf("the last event is %+v, want the response of %d", e, n)
	}
	return e
}

// descriptors counts this process's open descriptors, -1 where that isn't known.
func descriptors() int {
	d, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return -1
	}
	return len(d)
}

// sent lists the instants of the requests of a traffic in order.
func instants(events []event.Event, kind event.Kind, traffic string) map[int]time.Duration {
	at := make(map[int]time.Duration)
	for _, e := range events {
		if e.Kind == kind && e.Request.Traffic == traffic {
			at[e.Request.N] = e.At
		}
	}
	return at
}

// tolerant is a context that fails the test instead of letting it hang.
func tolerant(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// lines cuts a raw head into its lines.
func lines(head string) []string { return strings.Split(strings.TrimSuffix(head, "\r\n\r\n"), "\r\n") }
