package reference

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nolive/nolive/harness/clock"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/nginxconf"
	"github.com/nolive/nolive/proxy/upstream"
)

// log collects events.
type log struct {
	mu     sync.Mutex
	events []event.Event
}

func (l *log) Emit(e event.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events = append(l.events, e)
}

// of returns one line per event of the kinds: "ended b1 reset 502".
func (l *log) of(kinds ...event.Kind) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []string
	for _, e := range l.events {
		for _, k := range kinds {
			if e.Kind == k {
				out = append(out, line(e))
			}
		}
	}
	return strings.Join(out, "; ")
}

// count is how many attempts have started.
func (l *log) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for _, e := range l.events {
		if e.Kind == event.AttemptStarted {
			n++
		}
	}
	return n
}

func line(e event.Event) string {
	words := []string{e.Kind.String(), e.Peer, e.Outcome.String()}
	if e.Status != 0 {
		words = append(words, itoa(e.Status))
	}
	if e.Cached {
		words = append(words, "cached")
	}
	return strings.Join(strings.Fields(strings.Join(words, " ")), " ")
}

func itoa(n int) string {
	return string([]byte{byte('0' + n/100), byte('0' + n/10%10), byte('0' + n%10)})
}

// setting is one proxy under test.
type setting struct {
	*Proxy
	t   *testing.T
	log *log
}

// start serves one location over the peers, named b1, b2, ... change may edit it.
func start(t *testing.T, addresses []string, change func(*upstream.Config, *nginxconf.Pass)) *setting {
	t.Helper()
	return startAt(t, 1, addresses, change)
}

// startAt runs the scenario's clock at speed; text is what else the server's
// block says.
func startAt(t *testing.T, speed float64, addresses []string, change func(*upstream.Config, *nginxconf.Pass), text ...string) *setting {
	t.Helper()
	// The figures of these tests are nginx 1.22's.
	version, err := upstream.ParseVersion("1.22")
	if err != nil {
		t.Fatal(err)
	}
	u := &upstream.Config{Name: "portal", Version: version}
	backends := map[string]string{}
	tree, broken := nginxconf.Parse("test.conf", []byte("server { listen 80; location / { } "+strings.Join(text, "")+" }"), nil)
	config, problems := nginxconf.InterpretAs(tree, version)
	if len(broken)+len(problems) > 0 {
		t.Fatal(broken, problems)
	}
	config.Upstreams = []*upstream.Config{u}
	for i, a := range addresses {
		name := "b" + string(rune('1'+i))
		u.Servers = append(u.Servers, upstream.NewServer(name))
		backends[name] = a
		config.Backends = append(config.Backends, name)
	}
	pass := &nginxconf.Pass{
		Upstream: u, Match: "/",
		ConnectTimeout: 60 * time.Second, SendTimeout: 60 * time.Second, ReadTimeout: 60 * time.Second,
	}
	if change != nil {
		change(u, pass)
	}
	config.Servers[0].Locations[0].Pass = pass
	k := clock.New(speed)
	k.Begin(time.Now())
	l := &log{}
	p, err := Start(Options{Config: config, Backends: backends, Clock: k, Sink: l})
	if err != nil {
		t.Fatal(err)
	}
	s := &setting{p, t, l}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// dial connects a client.
func (s *setting) dial() *net.TCPConn {
	s.t.Helper()
	c, err := net.Dial("tcp", s.Address(""))
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(20 * time.Second))
	return c.(*net.TCPConn)
}

// ask sends a raw request on a new connection and returns everything until the
// proxy closes it.
func (s *setting) ask(raw string) string {
	s.t.Helper()
	c := s.dial()
	defer c.Close()
	if _, err := io.WriteString(c, raw); err != nil {
		s.t.Fatal(err)
	}
	b, err := io.ReadAll(c)
	if err != nil && !errors.Is(err, syscall.ECONNRESET) {
		s.t.Fatalf("after %q: %v", b, err)
	}
	return string(b)
}

// get asks for a path and closes.
func (s *setting) get(path string) string {
	s.t.Helper()
	return s.ask("GET " + path + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
}

// code is the status of a raw answer, "" for none.
func code(answer string) string {
	if len(answer) < 12 {
		return ""
	}
	return answer[9:12]
}

// content is what is behind the head of a raw answer.
func content(answer string) string {
	_, b, _ := strings.Cut(answer, "\r\n\r\n")
	return b
}

// eventually waits for a condition that other goroutines bring about.
func eventually(t *testing.T, what string, cond func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); ; {
		if cond() {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
		time.Sleep(time.Millisecond)
	}
}

// readAnswer reads one answer with a Content-Length or chunks off a connection.
func readAnswer(t *testing.T, r *bufio.Reader) string {
	t.Helper()
	var b bytes.Buffer
	length, chunked := 0, false
	for {
		l, err := r.ReadString('\n')
		if err != nil {
			t.Fatalf("after %q: %v", b.String(), err)
		}
		b.WriteString(l)
		if l == "\r\n" {
			break
		}
		name, value, _ := strings.Cut(strings.TrimSpace(l), ": ")
		switch name {
		case "Content-Length":
			for _, c := range value {
				length = length*10 + int(c-'0')
			}
		case "Transfer-Encoding":
			chunked = true
		}
	}
	if !chunked {
		if _, err := io.CopyN(&b, r, int64(length)); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	for !strings.HasSuffix(b.String(), "\r\n0\r\n\r\n") {
		c, err := r.ReadByte()
		if err != nil {
			t.Fatalf("after %q: %v", b.String(), err)
		}
		b.WriteByte(c)
	}
	return b.String()
}

func sizeOf(s string) string { return strconv.Itoa(len(s)) }

func hex(n int) string { return strconv.FormatInt(int64(n), 16) }
