package reference

import (
	"strings"
	"testing"

	"github.com/nolive/nolive/proxy/nginxconf"
)

// Heads up to 32 KiB are taken, with lines up to 8 KiB (large_client_header_buffers).
func TestHeadLimits(t *testing.T) {
	p := play(t, fine)
	s := start(t, addrs(p), nil)
	line := func(n int) string { return "A: " + strings.Repeat("b", n-5) + "\r\n" }
	tests := []struct{ name, head, want string }{
		{"many", "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n" + strings.Repeat(line(1000), 30), "200"},
		{"long line", "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n" + line(8000), "200"},
		{"too long a line", "GET / HTTP/1.1\r\nHost: a\r\n" + line(9000), "400"},
		{"too many", "GET / HTTP/1.1\r\nHost: a\r\n" + strings.Repeat(line(1000), 40), "400"},
		{"too long a target", "GET /" + strings.Repeat("a", 9000) + " HTTP/1.1\r\nHost: a\r\n", "414"},
		{"no host", "GET / HTTP/1.1\r\n", "400"},
		{"bad name", "GET / HTTP/1.1\r\nHost: a\r\na b: c\r\n", "400"},
		{"other version", "GET / HTTP/2.0\r\nHost: a\r\n", "505"},
		{"two lengths", "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nContent-Length: 0\r\n", "400"},
		{"length and chunks", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n", "400"},
		{"other coding", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n", "501"},
		{"TRACE", "TRACE / HTTP/1.1\r\nHost: a\r\n", "405"},
		{"no such host", "GET / HTTP/1.1\r\nHost: a b\r\n", "400"},
		{"an empty host", "GET / HTTP/1.1\r\nHost:\r\n", "400"},
		{"two hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n", "400"},
		{"no such host in the target", "GET http://a_b/ HTTP/1.1\r\nHost: a\r\n", "400"},
		{"no such path", "GET /%zz HTTP/1.1\r\nHost: a\r\n", "400"},
		{"a target before its version", "PRI * HTTP/2.0\r\n", "400"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if a := s.ask(tt.head + "\r\n"); code(a) != tt.want {
				t.Errorf("got %.100q, want %s", a, tt.want)
			}
		})
	}
}

// Locations, their own answers, and servers by name.
func TestRoutes(t *testing.T) {
	p := play(t, func(_ int, x *exchange) {
		target := strings.Fields(x.head())[1]
		x.send("HTTP/1.1 200 OK\r\nContent-Length: " + sizeOf(target) + "\r\n\r\n" + target)
	})
	tree, problems := nginxconf.Parse("test.conf", []byte(`http {
		upstream u { server app; }
		server {
			listen 80;
			location /api/ { proxy_pass http://u/v1/; }
			location = /teapot { return 418 "short and stout"; }
			location /moved { return 301 http://b/; }
		}
		server { listen 80; server_name other *.wild; location / { proxy_pass http://u; } }
	}`), nil)
	config, more := nginxconf.Interpret(tree)
	if len(problems)+len(more) > 0 {
		t.Fatal(problems, more)
	}
	proxy, err := Start(Options{Config: config, Backends: map[string]string{"app": p.Addr().String()}})
	if err != nil {
		t.Fatal(err)
	}
	s := &setting{proxy, t, &log{}}
	defer s.Close()
	tests := []struct{ host, path, status, content string }{
		{"a", "/api/x?y", "200", "/v1/x?y"},
		{"a", "/teapot", "418", "short and stout"},
		{"a", "/none", "404", ""},
		{"a", "/moved", "301", ""},
		{"other", "/teapot", "200", "/teapot"},
		{"OTHER:80", "/teapot", "200", "/teapot"},
		{"x.wild", "/teapot", "200", "/teapot"},
	}
	for _, tt := range tests {
		a := s.ask("GET " + tt.path + " HTTP/1.1\r\nHost: " + tt.host + "\r\nConnection: close\r\n\r\n")
		if code(a) != tt.status || tt.content != "" && content(a) != tt.content {
			t.Errorf("%s%s: got %.200q, want %s %q", tt.host, tt.path, a, tt.status, tt.content)
		}
	}
	if a := s.ask("GET /moved HTTP/1.0\r\n\r\n"); !strings.Contains(a, "\r\nLocation: http://b/\r\n") {
		t.Errorf("no redirect: %q", a)
	}
}
