package reference

import (
	"bufio"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/nolive/nolive/proxy/nginxconf"
)

// serveText serves a configuration over one backend, app, that says what it got,
// and a second one, busy, that answers 503. Nobody listens for dead.
func serveText(t *testing.T, text string) *setting {
	t.Helper()
	echo := play(t, func(_ int, x *exchange) {
		h := x.head()
		first, rest, _ := strings.Cut(h, "\r\n")
		body := ""
		if _, n, ok := strings.Cut(strings.ToLower(rest), "content-length: 3"); ok && n != "" {
			b := make([]byte, 3)
			_, _ = x.r.Read(b)
			body = string(b)
		}
		said := first + "|" + body
		for _, name := range []string{"X-Set: ", "X-Own: "} {
			if _, v, ok := strings.Cut(rest, name); ok {
				v, _, _ = strings.Cut(v, "\r\n")
				said += "|" + name + v
			}
		}
		x.send("HTTP/1.1 200 Fine\r\nConnection: close\r\nContent-Length: " + sizeOf(said) + "\r\n\r\n" + said)
	})
	busy := play(t, func(_ int, x *exchange) {
		x.head()
		x.send("HTTP/1.1 503 Busy\r\nConnection: close\r\nContent-Length: 4\r\n\r\nbusy")
	})
	tree, broken := nginxconf.Parse("test.conf", []byte(text), nil)
	config, more := nginxconf.Interpret(tree)
	if len(broken)+len(more)+len(config.NginxOnly) > 0 {
		t.Fatal(broken, more, config.NginxOnly)
	}
	l := &log{}
	p, err := Start(Options{Config: config, Sink: l, Backends: map[string]string{
		"app": echo.Addr().String(), "busy": busy.Addr().String(), "dead": refused(t),
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return &setting{p, t, l}
}

// An error leads to another location, and there to another backend: with the
// request as it was, its body too, or as a GET of a path.
func TestErrorPages(t *testing.T) {
	s := serveText(t, `
		server { listen 80; proxy_http_version 1.0;
			location /named { proxy_pass http://dead; error_page 502 = @spare; }
			location /kept { proxy_pass http://dead; error_page 502 @spare; }
			location /path { proxy_pass http://dead; error_page 502 =200 /page?x=y; }
			location /busy { proxy_pass http://busy; error_page 503 =200 @spare; }
			location /caught { proxy_pass http://busy; proxy_intercept_errors on; error_page 503 =200 @spare; }
			location /small { client_max_body_size 2; proxy_pass http://app; error_page 413 = @text; }
			location /loop { proxy_pass http://dead; error_page 502 @loop; recursive_error_pages on; }
			location /closed { return 444; }
			location @spare { proxy_pass http://app; proxy_set_header X-Set "a$request_method$arg_q"; add_header X-From $uri always; }
			location @text { return 200 "too big: $request_uri"; }
			location @loop { proxy_pass http://dead; error_page 502 @loop; recursive_error_pages on; }
			location /page { internal; proxy_pass http://app; }
		}
		upstream dead { server dead; } upstream busy { server busy; } upstream app { server app; }`)
	for _, tt := range []struct{ request, status, has string }{
		{"GET /named?q=1", "200", "GET /named?q=1 HTTP/1.0||X-Set: aGET1"},
		{"POST /named", "200", "POST /named HTTP/1.0|abc|X-Set: aPOST"},
		{"GET /named", "200", "X-From: /named"},
		{"POST /kept", "502", "POST /kept HTTP/1.0|abc"},
		{"POST /path", "200", "GET /page?x=y HTTP/1.0|abc"},
		{"GET /busy", "503", "busy"},
		{"GET /caught", "200", "GET /caught HTTP/1.0|"},
		{"GET /caught", "200", "HTTP/1.1 200 OK\r\n"},
		{"POST /small", "200", "too big: /small"},
		{"GET /small", "200", "GET /small HTTP/1.0|"},
		{"GET /loop", "500", "500 Internal Server Error"},
		{"GET /page", "404", "404 Not Found"},
	} {
		request := tt.request + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
		if strings.HasPrefix(tt.request, "POST") {
			request += "Content-Length: 3\r\n\r\nabc"
		} else {
			request += "\r\n"
		}
		if a := s.ask(request); code(a) != tt.status || !strings.Contains(a, tt.has) {
			t.Errorf("%s: got %q, want %s with %q", tt.request, a, tt.status, tt.has)
		}
	}
	if a := s.ask("GET /closed HTTP/1.1\r\nHost: a\r\n\r\n"); a != "" {
		t.Errorf("return 444: %q", a)
	}
}

// A connection's requests may each go another way although they look alike.
func TestWaysOfOneConnection(t *testing.T) {
	s := serveText(t, `
		upstream app { server app; }
		map $http_x_v $pool { default app; none ""; }
		server { listen 80;
			location / {
				if ($request_method = DELETE) { return 405; }
				proxy_pass http://$pool; proxy_set_header X-Own $http_x_v;
				limit_except GET POST DELETE { deny all; }
				add_header X-V "v$http_x_v";
			}
		}`)
	c := s.dial()
	r := bufio.NewReader(c)
	for _, tt := range []struct{ method, x, status, has string }{
		{"GET", "1", "200", "X-Own: 1"}, {"GET", "2", "200", "X-Own: 2"}, {"DELETE", "2", "405", ""}, {"PUT", "2", "403", ""},
		{"GET", "3", "200", "X-V: v3"}, {"GET", "none", "500", ""},
	} {
		_, _ = io.WriteString(c, tt.method+" / HTTP/1.1\r\nHost: a\r\nX-V: "+tt.x+"\r\n\r\n")
		resp, err := http.ReadResponse(r, &http.Request{Method: tt.method})
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		a := string(body) + " X-V: " + resp.Header.Get("X-V")
		if strconv.Itoa(resp.StatusCode) != tt.status || !strings.Contains(a, tt.has) {
			t.Errorf("%s %s: got %d %q, want %s with %q", tt.method, tt.x, resp.StatusCode, a, tt.status, tt.has)
		}
		if resp.Close {
			c = s.dial()
			r = bufio.NewReader(c)
		}
	}
}

// A body that nobody reads isn't waited for, whether it is too large or not; what
// comes of it later is thrown away, and the connection goes on.
func TestBodyThatNobodyReads(t *testing.T) {
	s := serveText(t, `upstream app { server app; } server { listen 80; client_max_body_size 8;
		location / { return 200 early; } location /refused { return 403; } location /pass { proxy_pass http://app; } }`)
	for _, tt := range []struct{ path, framing, first, rest, status string }{
		{"/", "Content-Length: 5", "he", "llo", "200"},
		{"/", "Content-Length: 5", "hello", "", "200"},
		{"/", "Transfer-Encoding: chunked", "14\r\nhello", strings.Repeat("x", 15) + "\r\n0\r\n\r\n", "200"},
		{"/refused", "Content-Length: 5", "", "hello", "403"},
		{"/", "Content-Length: 9", "he", "", "413"},
	} {
		c := s.dial()
		r := bufio.NewReader(c)
		_, _ = io.WriteString(c, "POST "+tt.path+" HTTP/1.1\r\nHost: a\r\n"+tt.framing+"\r\n\r\n"+tt.first)
		resp, err := http.ReadResponse(r, nil)
		if err != nil {
			t.Fatalf("%+v: %v", tt, err)
		}
		_, _ = io.ReadAll(resp.Body)
		if strconv.Itoa(resp.StatusCode) != tt.status {
			t.Errorf("%+v: got %d", tt, resp.StatusCode)
		}
		if resp.Close {
			continue
		}
		_, _ = io.WriteString(c, tt.rest+"GET /pass HTTP/1.1\r\nHost: a\r\n\r\n")
		if resp, err = http.ReadResponse(r, nil); err != nil || resp.StatusCode != 200 {
			t.Errorf("%+v: the next request: %v %v", tt, resp, err)
		}
	}
}

// A line alone is a request of HTTP/0.9; its answer is a body alone.
func TestNine(t *testing.T) {
	s := serveText(t, `upstream app { server app; } server { listen 80; location / { return 200 text; } location /pass { proxy_pass http://app; } }`)
	for ask, want := range map[string]string{
		"GET /\r\n": "text", "GET /pass\n": "GET /pass HTTP/1.1|", "GET /pass?x\r\n\r\n": "GET /pass?x HTTP/1.1|",
	} {
		if a := s.ask(ask); a != want {
			t.Errorf("%q: got %q, want %q", ask, a, want)
		}
	}
	if a := s.ask("POST /\r\n"); !strings.HasPrefix(a, "<html>") {
		t.Errorf("POST: %q", a)
	}
}

// What can't become a request is refused before it is whole.
func TestRefusedEarly(t *testing.T) {
	s := serveText(t, "server { listen 80; error_page 400 = /bad; location / { return 200 text; } location /bad { return 200 sorry; } }")
	for _, ask := range []string{"\x16\x03\x01", "get", "nonsense\r\n", "GET / HTTP/1.1\r\nbad name: x\r\n"} {
		c := s.dial()
		_, _ = io.WriteString(c, ask)
		if resp, err := http.ReadResponse(bufio.NewReader(c), nil); err != nil || resp.StatusCode != 200 {
			t.Errorf("%q: %v %v", ask, resp, err)
		}
	}
}
