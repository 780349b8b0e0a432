package reference

import (
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nolive/nolive/harness/clock"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/nginxconf"
	"github.com/nolive/nolive/proxy/upstream"
)

// asking is a request and the versions from which on its answer is another.
type asking struct {
	line  int
	raw   string
	turns []turn
}

type turn struct {
	since upstream.Version
	// want is the answer's status, and what it contains or doesn't.
	status   string
	contains []string
}

func (u turn) differs(answer string) string {
	if got := code(answer); got != u.status {
		return "answered with " + got
	}
	for _, c := range u.contains {
		text, not := strings.CutPrefix(c, "!")
		if strings.Contains(answer, text) == not {
			return fmt.Sprintf("%q is in it: %v", text, not)
		}
	}
	return ""
}

// askings reads a file of testdata, see requests.txt.
func askings(t *testing.T, name string) (all []asking) {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(string(b), "\n") {
		first, rest, _ := strings.Cut(line, " ")
		v, err := upstream.ParseVersion(first)
		switch {
		case line == "", strings.HasPrefix(line, "#"):
		case err == nil:
			status, rest, _ := strings.Cut(rest, " ")
			last := &all[len(all)-1]
			last.turns = append(last.turns, turn{v, status, quoted(t, rest)})
		default:
			raw := strings.Join(quoted(t, line), "")
			if !strings.Contains(line, " | ") {
				raw += "Connection: close\r\n\r\n"
			}
			all = append(all, asking{line: i + 1, raw: raw})
		}
	}
	return all
}

// quoted reads quoted strings and what else may stand between them.
func quoted(t *testing.T, s string) (all []string) {
	t.Helper()
	for s != "" {
		if rest, ok := strings.CutPrefix(s, "| "); ok {
			all, s = append(all, "Connection: close\r\n\r\n"), rest
			continue
		}
		times := 1
		if n, rest, ok := strings.Cut(s, "*"); ok && !strings.Contains(n, `"`) {
			times, _ = strconv.Atoi(n)
			s = rest
		}
		not := strings.HasPrefix(s, "!")
		s = strings.TrimPrefix(s, "!")
		q, err := strconv.QuotedPrefix(s)
		if err != nil {
			t.Fatalf("%v: %s", err, s)
		}
		text, _ := strconv.Unquote(q)
		if not {
			text = "!" + text
		}
		all, s = append(all, strings.Repeat(text, times)), strings.TrimPrefix(s[len(q):], " ")
	}
	return all
}

// configured is a configuration of testdata for a version.
func configured(t *testing.T, name string, v upstream.Version) *nginxconf.Config {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	tree, broken := nginxconf.Parse(name, b, nil)
	c, problems := nginxconf.InterpretAs(tree, v)
	if len(broken)+len(problems) > 0 {
		t.Fatal(broken, problems)
	}
	return c
}

// echo is a peer that answers with the request that it got, and with the header lines
// that an X-Send in it names; its Content-Length is shorter by X-Cut.
func echo(t *testing.T) *peer {
	return play(t, func(_ int, x *exchange) {
		got := x.head()
		n := 0
		if _, value, ok := strings.Cut(got, "Content-Length: "); ok {
			n, _ = strconv.Atoi(value[:strings.IndexByte(value, '\r')])
		}
		body := make([]byte, n)
		_, _ = io.ReadFull(x.r, body)
		got += string(body)
		more := ""
		if _, value, ok := strings.Cut(got, "X-Send: "); ok {
			more = strings.ReplaceAll(value[:strings.IndexByte(value, '\r')], "|", "\r\n") + "\r\n"
		}
		length := len(got)
		if _, value, ok := strings.Cut(got, "X-Cut: "); ok {
			n, _ := strconv.Atoi(value[:strings.IndexByte(value, '\r')])
			length -= n
		}
		x.send("HTTP/1.1 200 OK\r\nConnection: close\r\n" + more + "Content-Length: " + strconv.Itoa(length) + "\r\n\r\n" + got)
	})
}

// mute is the address of a backend that takes connections and says nothing.
func mute(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })
	return ln.Addr().String()
}

// answerTo is all that comes until the proxy closes.
func answerTo(t *testing.T, address, raw string) string {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(20 * time.Second))
	_, _ = io.WriteString(c, raw)
	b, _ := io.ReadAll(c)
	return string(b)
}

// Every version takes, refuses and answers as nginx does, on both sides of what turns.
func TestRequestsOfVersions(t *testing.T) {
	backend := echo(t)
	serving := map[string]*Proxy{}
	on := func(v upstream.Version) *Proxy {
		if serving[v.String()] == nil {
			k := clock.New(1)
			k.Begin(time.Now())
			p, err := Start(Options{Config: configured(t, "requests.conf", v), Backends: map[string]string{"b1": backend.Addr().String(), "b2": mute(t)}, Clock: k, Sink: &log{}})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = p.Close() })
			serving[v.String()] = p
		}
		return serving[v.String()]
	}
	for _, a := range askings(t, "requests.txt") {
		for i, u := range a.turns {
			versions := []upstream.Version{u.since}
			if i+1 < len(a.turns) {
				versions = append(versions, before(t, a.turns[i+1].since))
			} else {
				versions = append(versions, upstream.Stable)
			}
			for _, v := range versions {
				if v.String() == "1.30.4" && u.since.Unread() {
					continue
				}
				if got := answerTo(t, on(v).Address(""), a.raw); u.differs(got) != "" {
					t.Errorf("line %d, %s: %s\n%.200q\n%.400q", a.line, v, u.differs(got), a.raw, got)
				}
			}
		}
	}
}

// before is a version just before one, though there may never have been such a one.
func before(t *testing.T, v upstream.Version) upstream.Version {
	t.Helper()
	parts := strings.Split(v.String(), ".")
	for i := 2; i > 0; i-- {
		if n, _ := strconv.Atoi(parts[i]); n > 0 {
			parts[i] = strconv.Itoa(n - 1)
			break
		}
		parts[i] = "999"
	}
	b, err := upstream.ParseVersion(strings.Join(parts, "."))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// startOf serves requests.conf as a version of nginx.
func startOf(t *testing.T, version string, backend *peer) *setting {
	t.Helper()
	v, err := upstream.ParseVersion(version)
	if err != nil {
		t.Fatal(err)
	}
	k := clock.New(1)
	k.Begin(time.Now())
	l := &log{}
	p, err := Start(Options{Config: configured(t, "requests.conf", v), Backends: map[string]string{"b1": backend.Addr().String(), "b2": mute(t)}, Clock: k, Sink: l})
	if err != nil {
		t.Fatal(err)
	}
	return &setting{p, t, l}
}

// whenTold is a backend that answers when it is told to.
func whenTold(_ int, x *exchange) {
	x.head()
	<-x.told
	x.send(ok)
}

// What is answered while the proxy shuts down says that the connection is closed.
func TestConnectionWhileDraining(t *testing.T) {
	for version, want := range map[string]string{"1.21.5": "keep-alive", "1.21.6": "close"} {
		backend := play(t, whenTold)
		s := startOf(t, version, backend)
		p, l := s.Proxy, s.log
		c := s.dial()
		_, _ = io.WriteString(c, "GET /echo HTTP/1.1\r\nHost: a\r\n\r\n")
		eventually(t, "the request is on its way", func() bool { return l.count() == 1 })
		drained := make(chan struct{})
		go func() {
			p.Drain()
			close(drained)
		}()
		eventually(t, "it drains", func() bool { return p.draining.Load() })
		close(backend.tell)
		b, _ := io.ReadAll(c)
		if !strings.Contains(string(b), "\r\nConnection: "+want+"\r\n") {
			t.Errorf("%s: %q", version, b)
		}
		<-drained
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A connection on which more came than the last chunk is kept before 1.19.1, and
// without buffers one on which something came behind no body before 1.21.4.
func TestKeptBehindMore(t *testing.T) {
	const chunks, nothing = "Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\nmore", "X-Accel-Buffering: no\r\nContent-Length: 0\r\n\r\nmore"
	for _, c := range []struct {
		version, answer string
		kept            bool
	}{
		{"1.19.0", chunks, true}, {"1.19.1", chunks, false}, {"1.21.3", nothing, true}, {"1.21.4", nothing, false},
	} {
		backend := play(t, func(_ int, x *exchange) {
			for x.head() != "" {
				x.send("HTTP/1.1 200 OK\r\n" + c.answer)
			}
		})
		s := startOf(t, c.version, backend)
		for range 2 {
			if a := s.get("/kept"); code(a) != "200" || strings.Contains(a, "more") {
				t.Errorf("%s: %q", c.version, a)
			}
		}
		want := "attempt b1; attempt b1"
		if c.kept {
			want += " cached"
		}
		if got := s.log.of(event.AttemptStarted); got != want {
			t.Errorf("%s, %q: %s, want %s", c.version, c.answer, got, want)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Of two 103 responses that come at once the second is taken for the response from 1.29.0
// to 1.29.7; before 1.29.0 the first one is.
func TestTwoEarlyHints(t *testing.T) {
	backend := play(t, func(_ int, x *exchange) {
		x.head()
		x.send("HTTP/1.1 103 One\r\n\r\nHTTP/1.1 103 Two\r\n\r\n" + ok)
	})
	for version, want := range map[string]string{"1.28.3": "103 One", "1.29.0": "103 Two", "1.29.7": "103 Two", "1.29.8": "200 OK"} {
		s := startOf(t, version, backend)
		if a := s.get("/kept"); !strings.HasPrefix(a, "HTTP/1.1 "+want) {
			t.Errorf("%s: %q, want %s", version, a, want)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
