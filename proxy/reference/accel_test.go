package reference

import (
	"strings"
	"testing"

	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/nginxconf"
)

// A response with X-Accel-Redirect sends the request to another location, and leaves some
// of its header lines to the answer from there (ngx_http_upstream_headers_in).
func TestAccelRedirect(t *testing.T) {
	app := play(t, func(_ int, x *exchange) {
		h := x.head()
		to := strings.TrimPrefix(strings.Fields(h)[1], "/app")
		if strings.Contains(h, "Content-Length: 3") {
			_, _ = x.r.Read(make([]byte, 3))
		}
		x.send("HTTP/1.1 404 Gone\r\nX-Own: app\r\nContent-Type: text/app; charset=koi8-r\r\nSet-Cookie: a=1; path=/in\r\nCache-Control: no-store\r\n" +
			"Expires: never\r\nETag: e\r\nContent-Disposition: inline\r\nAccept-Ranges: bytes\r\nX-Accel-Redirect: " + to + "\r\nContent-Length: 3\r\n\r\nnot")
	})
	store := play(t, func(_ int, x *exchange) {
		h := x.head()
		method, target := strings.Fields(h)[0], strings.Fields(h)[1]
		body, own := "", "Content-Type: text/store\r\n"
		if strings.Contains(h, "Content-Length: 3") {
			b := make([]byte, 3)
			_, _ = x.r.Read(b)
			body = string(b)
		}
		if strings.Contains(target, "plain") {
			own = ""
		}
		said := method + " " + target + " " + body
		x.send("HTTP/1.1 200 Fine\r\n" + own + "Cache-Control: private\r\nContent-Length: " + sizeOf(said) + "\r\n\r\n" + said)
	})
	gone := play(t, func(_ int, x *exchange) { x.head() })
	tree, broken := nginxconf.Parse("test.conf", []byte(`
		upstream app { server app; } upstream store { server store; } upstream twice { server gone; server store; }
		server { listen 80;
			location /app { proxy_pass http://app; proxy_cookie_path /in /out; proxy_hide_header Cache-Control; }
			location /app/deaf { proxy_pass http://app; proxy_ignore_headers X-Accel-Redirect; }
			location /in { internal; proxy_pass http://store; }
			location /in/again { internal; proxy_pass http://twice; }
			location /text { return 200 text; }
			location @in { proxy_pass http://store; }
		}`), nil)
	config, problems := nginxconf.Interpret(tree)
	if len(broken)+len(problems) > 0 {
		t.Fatal(broken, problems)
	}
	l := &log{}
	p, err := Start(Options{Config: config, Sink: l, Backends: map[string]string{"app": app.Addr().String(), "store": store.Addr().String(), "gone": gone.Addr().String()}})
	if err != nil {
		t.Fatal(err)
	}
	s := &setting{p, t, l}
	defer s.Close()
	const carried = "\r\nSet-Cookie: a=1; path=/out\r\nCache-Control: no-store\r\nExpires: never\r\nContent-Disposition: inline"
	for _, tt := range []struct{ request, first, lines, ends string }{
		{"GET /app/in/a?b", "200 Fine", "Content-Type: text/store; charset=koi8-r\r\nContent-Length: 12\r\nConnection: close" + carried + "\r\nAccept-Ranges: bytes\r\nCache-Control: private\r\n\r\n", "GET /in/a?b "},
		{"GET /app/in/plain", "200 Fine", "Content-Type: text/app; charset=koi8-r\r\n", "GET /in/plain "},
		{"POST /app/in", "200 Fine", carried, "GET /in abc"},
		{"POST /app/in/again", "200 Fine", carried, "GET /in/again abc"}, // another peer may have a GET
		{"POST /app@in", "200 Fine", carried, "POST /app@in abc"},
		{"GET /app/text", "200 OK", "Content-Type: text/app; charset=koi8-r\r\nContent-Length: 4\r\nConnection: close" + carried + "\r\nAccept-Ranges: bytes\r\n\r\n", "text"},
		{"GET /app/none", "404 Not Found", "Content-Type: text/html; charset=koi8-r\r\n", "</html>\r\n"},
		{"GET /app/none", "404 Not Found", "Connection: close" + carried + "\r\n\r\n", "</html>\r\n"},
		{"GET /app", "404 Not Found", carried, "</html>\r\n"},
		{"GET /app/deaf", "404 Gone", "X-Own: app\r\n", "not"},
		{"GET /in", "404 Not Found", "Content-Type: text/html\r\n", "</html>\r\n"},
	} {
		request := tt.request + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
		if strings.HasPrefix(tt.request, "POST") {
			request += "Content-Length: 3\r\n\r\nabc"
		} else {
			request += "\r\n"
		}
		a := s.ask(request)
		if !strings.HasPrefix(a, "HTTP/1.1 "+tt.first+"\r\n") || !strings.Contains(a, tt.lines) || !strings.HasSuffix(a, tt.ends) {
			t.Errorf("%s: got %q, want %q with %q and %q", tt.request, a, tt.first, tt.lines, tt.ends)
		}
		if own := strings.Contains(a, "X-Own") || strings.Contains(a, "ETag"); own != (tt.first == "404 Gone") {
			t.Errorf("%s: lines that don't stay: %q", tt.request, a)
		}
	}
	if got, want := l.of(event.AttemptEnded), "ended app passed 404; ended store passed 200; "; !strings.HasPrefix(got, want) {
		t.Errorf("attempts: %s", got)
	}
}
