package reference

import (
	"strings"
	"testing"

	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/wire"
)

// Framing: HTTP/1.0 clients get no chunks, HTTP/1.1 clients do, and no body
// comes where none may.
func TestFraming(t *testing.T) {
	tests := []struct{ name, request, response, want string }{
		{"no length to 1.1", "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "HTTP/1.0 200 OK\r\n\r\nhello", "5\r\nhello\r\n0\r\n\r\n"},
		{"no length to 1.0", "GET / HTTP/1.0\r\n\r\n", "HTTP/1.0 200 OK\r\n\r\nhello", "hello"},
		{"chunks to 1.0", "GET / HTTP/1.0\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\nA: b\r\n\r\n", "hello"},
		{"HEAD", "HEAD / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", ""},
		{"204", "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "HTTP/1.1 204 No Content\r\n\r\n", ""},
		{"304", "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", ""},
		{"more than announced", "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokXXX", "ok"},
		{"empty chunked", "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "0\r\n\r\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := play(t, func(_ int, x *exchange) { x.head(); x.send(tt.response) })
			s := start(t, addrs(p), nil)
			if a := s.ask(tt.request); content(a) != tt.want || len(a) < 12 {
				t.Errorf("got %q, want the body %q", a, tt.want)
			}
			if got := s.log.of(event.AttemptEnded); !strings.HasPrefix(got, "ended b1 passed") {
				t.Errorf("got %s", got)
			}
		})
	}
}

// Headers go both ways in nginx's order; what ends at the proxy doesn't pass.
func TestHeaders(t *testing.T) {
	heads := make(chan string, 1)
	p := play(t, func(_ int, x *exchange) {
		heads <- x.head()
		x.send("HTTP/1.1 200 OK\r\nX-Up: q\r\nContent-Length: 2\r\nServer: s\r\nContent-Type: text/html\r\nKeep-Alive: a\r\nx_last:  z \r\n\r\nok")
	})
	s := start(t, addrs(p), nil)
	a := s.ask("GET /a?b=%20c HTTP/1.1\r\nHost: a\r\nX-A:  b \r\nx_u: 1\r\nTE: x\r\nConnection: close\r\nx-A: c\r\n\r\n")
	if h, want := <-heads, "GET /a?b=%20c HTTP/1.0\r\nHost: portal\r\nConnection: close\r\nX-A: b\r\nx-A: c\r\n\r\n"; h != want {
		t.Errorf("to the backend:\ngot  %q\nwant %q", h, want)
	}
	before, rest, _ := strings.Cut(a, "\r\nDate: ")
	_, after, _ := strings.Cut(rest, "GMT")
	if got, want := before+after, "HTTP/1.1 200 OK\r\nServer: nolive\r\nContent-Type: text/html\r\nContent-Length: 2\r\nConnection: close\r\nX-Up: q\r\nx_last: z\r\n\r\nok"; got != want {
		t.Errorf("to the client:\ngot  %q\nwant %q", got, want)
	}
}

// A large response arrives byte for byte, in each framing.
func TestLargeResponse(t *testing.T) {
	var b strings.Builder
	for b.Len() < 1<<20 {
		b.WriteString("0123456789abcdefghijklmnopqrstuvwxyz\n")
	}
	body := b.String()
	p := play(t, func(_ int, x *exchange) {
		switch h := x.head(); {
		case strings.HasPrefix(h, "GET /length "):
			x.send("HTTP/1.1 200 OK\r\nContent-Length: " + sizeOf(body) + "\r\n\r\n" + body)
		case strings.HasPrefix(h, "GET /chunks "):
			x.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
			for rest, k := body, 1; rest != ""; k = k*3 + 1 {
				k = min(k%70000+1, len(rest))
				x.send(hex(k) + "\r\n" + rest[:k] + "\r\n")
				rest = rest[k:]
			}
			x.send("0\r\n\r\n")
		default:
			x.send("HTTP/1.0 200 OK\r\n\r\n" + body)
		}
	})
	s := start(t, addrs(p), nil)
	for _, path := range []string{"/length", "/chunks", "/fin"} {
		if got := content(s.ask("GET " + path + " HTTP/1.0\r\n\r\n")); got != body {
			t.Errorf("%s to HTTP/1.0: %d bytes, want %d", path, len(got), len(body))
		}
		if got := dechunk(t, content(s.get(path)), path != "/length"); got != body {
			t.Errorf("%s to HTTP/1.1: %d bytes, want %d", path, len(got), len(body))
		}
	}
}

func dechunk(t *testing.T, s string, chunked bool) string {
	t.Helper()
	if !chunked {
		return s
	}
	var d wire.Chunks
	b := []byte(s)
	n, used, err := d.Decode(b)
	if err != nil || used != len(b) || !d.Done {
		t.Fatalf("chunks: %v, %d of %d used, done %v", err, used, len(b), d.Done)
	}
	return string(b[:n])
}
