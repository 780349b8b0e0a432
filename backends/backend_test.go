package backends_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nolive/nolive/backends"
	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/event"
)

// told is what was told of, in order.
type told[T any] struct {
	mu   sync.Mutex
	list []T
}

func (k *told[T]) add(x T) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.list = append(k.list, x)
}

func (k *told[T]) where(is func(T) bool) []T {
	k.mu.Lock()
	defer k.mu.Unlock()
	var out []T
	for _, x := range k.list {
		if is(x) {
			out = append(out, x)
		}
	}
	return out
}

// record keeps events.
type record struct{ told[event.Event] }

func (r *record) Emit(e event.Event) { r.add(e) }

func (r *record) of(k event.Kind) []event.Event {
	return r.where(func(e event.Event) bool { return e.Kind == k })
}

// start runs a backend for the test and checks that it closes in time.
func start(t testing.TB, o backends.Options) *backends.Server {
	t.Helper()
	s, err := backends.Start(placed(o))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// always is one rule for every request.
func always(t testing.TB, s fault.Spec) fault.Rules {
	t.Helper()
	return fault.Rules{{Do: meaning(t, s)}}
}

// during is a rule for a window.
func during(t testing.TB, from, until time.Duration, s fault.Spec) fault.Rules {
	t.Helper()
	return fault.Rules{{When: fault.When{From: from, Until: until}, Do: meaning(t, s)}}
}

func meaning(t testing.TB, s fault.Spec) fault.Fault {
	t.Helper()
	f, err := s.Fault()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// patience is how long a test waits for what has to come, however busy the machine is.
const patience = 20 * time.Second

// dial connects or fails the test.
func dial(t testing.TB, addr string) client {
	t.Helper()
	c, err := connect(addr, patience)
	for end := time.Now().Add(patience); errors.Is(err, syscall.EAGAIN) && time.Now().Before(end); {
		time.Sleep(time.Millisecond) // the queue of a unix socket is full for a moment
		c, err = connect(addr, patience)
	}
	if err != nil {
		t.Fatal(err)
	}
	c.SetDeadline(time.Now().Add(patience))
	t.Cleanup(func() { c.Close() })
	return c
}

const get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

func send(t testing.TB, c net.Conn, text string) {
	t.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
}

// answer reads one response whole.
func answer(t testing.TB, r *bufio.Reader) (status int, body string) {
	t.Helper()
	res, err := http.ReadResponse(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(b)
}

// rest reads until the connection ends, and says how: "fin", "rst" or "timeout".
func rest(c net.Conn) (string, string) {
	b, err := io.ReadAll(c)
	switch {
	case err == nil:
		return string(b), "fin"
	case errors.Is(err, syscall.ECONNRESET):
		return string(b), "rst"
	case errors.Is(err, os.ErrDeadlineExceeded):
		return string(b), "timeout"
	}
	return string(b), err.Error()
}

func TestZeroOptionsAnswerOnOneKeptConnection(t *testing.T) {
	s := start(t, backends.Options{})
	c := dial(t, s.Addr())
	r := bufio.NewReader(c)
	for range 3 {
		send(t, c, get)
		if status, body := answer(t, r); status != 200 || body != "OK\n" {
			t.Fatalf("got %d %q, want 200 OK", status, body)
		}
	}
}

func TestConnectionIsClosedWhenTheRequestAsksForIt(t *testing.T) {
	for _, text := range []string{
		"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
		"GET / HTTP/1.0\r\n\r\n",
	} {
		c := dial(t, start(t, backends.Options{}).Addr())
		send(t, c, text)
		if got, end := rest(c); !strings.HasPrefix(got, "HTTP/1.1 200 OK\r\n") || end != "fin" {
			t.Errorf("%q: got %q and %s, want an answer and fin", text, got, end)
		}
	}
	c := dial(t, start(t, backends.Options{}).Addr())
	r := bufio.NewReader(c)
	for range 2 {
		send(t, c, "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
		answer(t, r)
	}
}

func TestRequestBodiesAreReadWhole(t *testing.T) {
	rec := &record{}
	s := start(t, backends.Options{Name: "app1", Sink: rec})
	c := dial(t, s.Addr())
	r := bufio.NewReader(c)
	long := strings.Repeat("x", 300_000)
	send(t, c, "POST /a HTTP/1.1\r\nHost: a\r\n"+event.RequestHeader+": t/1\r\nContent-Length: 300000\r\n\r\n"+long)
	answer(t, r)
	send(t, c, "POST /b HTTP/1.1\r\nHost: a\r\n"+event.RequestHeader+": t/2\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n")
	answer(t, r)
	send(t, c, "POST /c HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
	if status, _ := answer(t, r); status != 100 {
		t.Fatalf("got %d before the body, want 100", status)
	}
	send(t, c, "hi")
	answer(t, r)
	got := rec.of(event.BackendGot)
	want := []event.Request{{Traffic: "t", N: 1}, {Traffic: "t", N: 2}, {}}
	if len(got) != len(want) {
		t.Fatalf("got %d BackendGot, want %d", len(got), len(want))
	}
	for i, e := range got {
		if e.Request != want[i] || e.Peer != "app1" {
			t.Errorf("event %d: got %v of %s, want %v of app1", i, e.Request, e.Peer, want[i])
		}
	}
}

func TestHeadGetsNoBody(t *testing.T) {
	s := start(t, backends.Options{Rules: always(t, &fault.RespondSpec{Size: 1000})})
	c := dial(t, s.Addr())
	send(t, c, "HEAD / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
	got, end := rest(c)
	if !strings.Contains(got, "Content-Length: 1000\r\n") || !strings.HasSuffix(got, "\r\n\r\n") || end != "fin" {
		t.Errorf("got %q and %s, want the head alone and fin", got, end)
	}
}

func TestNonsenseGets400(t *testing.T) {
	rec := &record{}
	s := start(t, backends.Options{Sink: rec})
	for _, text := range []string{"nonsense\r\n\r\n", "GET / HTTP/1.1\r\nbroken header\r\n\r\n",
		"GET / HTTP/1.1\r\nX: " + strings.Repeat("x", 1<<20) + "\r\n\r\n"} {
		c := dial(t, s.Addr())
		send(t, c, text)
		if got, end := rest(c); !strings.HasPrefix(got, "HTTP/1.1 400 ") || end != "fin" {
			t.Errorf("%.20q: got %q and %s, want 400 and fin", text, got, end)
		}
	}
	if got := rec.of(event.BackendGot); len(got) > 0 {
		t.Errorf("got %v, want no request counted", got)
	}
}

func TestStartSaysWhatIsWrong(t *testing.T) {
	taken := start(t, backends.Options{})
	for _, c := range []struct {
		o    backends.Options
		want string
	}{
		{backends.Options{Name: "a", Listen: "localhost"}, `backend a: listen: "localhost" is no IP address with a port`},
		{backends.Options{Name: "a", Listen: taken.Addr()}, "backend a: listen on " + taken.Addr() + ": bind: address already in use"},
		{backends.Options{Name: "a", Rules: fault.Rules{{}}}, "backend a: rule 1: "},
	} {
		s, err := backends.Start(c.o)
		if err == nil {
			s.Close()
		}
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("got %v, want %s...", err, c.want)
		}
	}
}
