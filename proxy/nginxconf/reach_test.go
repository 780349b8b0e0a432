package nginxconf

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/nolive/nolive/proxy/variable"
)

// asked is a request of a reach test.
type asked struct {
	to, target string
	method     string // "" is GET
	host       string
	from       string // "" is 127.0.0.1
}

// reached are the directives, with what they say, that matter to some requests,
// and those that don't.
func reached(t *testing.T, text string, requests ...asked) (only, unreached []string) {
	t.Helper()
	tree, problems := Parse("nginx.conf", []byte(text), nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	c, problems := Interpret(tree)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	r := c.NewReach()
	for _, q := range requests {
		rq := variable.Request{Method: q.method, Target: q.target}
		if q.method == "" {
			rq.Method = "GET"
		}
		from := netip.MustParseAddr("127.0.0.1")
		if q.from != "" {
			from = netip.MustParseAddr(q.from)
		}
		rq.Client = variableAddress(from)
		r.Request(c.Destination(q.to, q.host), rq, -1)
	}
	names := func(notes []Note) []string {
		out := []string{}
		for _, n := range notes {
			_, text, _ := strings.Cut(n.Text, `"`)
			text, _, _ = strings.Cut(text, `"`)
			out = append(out, text)
		}
		return out
	}
	narrow := r.Config()
	return names(narrow.NginxOnly), names(narrow.Unreached)
}

// What isn't modelled refuses a run only where a request comes to it.
func TestReach(t *testing.T) {
	const pool = "upstream app { server app1; server app2; }\n"
	for _, tt := range []struct {
		name, text      string
		requests        []asked
		only, unreached []string
	}{
		{"another location", pool + `server { listen 80;
			location / { proxy_pass http://app; }
			location /static { root /srv; }
			location ~ \.php$ { fastcgi_pass php:9000; }
			location = /status { stub_status; } }`,
			[]asked{{target: "/"}},
			nil, []string{"root /srv", "fastcgi_pass php:9000", "stub_status"}},
		{"that location", pool + `server { listen 80;
			location / { proxy_pass http://app; }
			location ~ \.php$ { fastcgi_pass php:9000; } }`,
			[]asked{{target: "/"}, {target: "/index.php?a=1"}},
			[]string{"fastcgi_pass php:9000"}, nil},
		{"its slash", pool + `server { listen 80;
			location / { proxy_pass http://app; }
			location /php/ { fastcgi_pass php:9000; } }`,
			[]asked{{target: "/php"}}, nil, []string{"fastcgi_pass php:9000"}},
		{"inherited", `auth_basic closed;` + pool + `server { listen 80;
			location / { proxy_pass http://app; }
			location /open { auth_basic off; proxy_pass http://app; } }`,
			[]asked{{target: "/"}}, []string{"auth_basic closed"}, nil},
		{"switched off inside", `auth_basic closed;` + pool + `server { listen 80;
			location / { proxy_pass http://app; }
			location /open { auth_basic off; proxy_pass http://app; } }`,
			[]asked{{target: "/open"}}, nil, []string{"auth_basic closed"}},
		{"an inner allow", pool + `server { listen 80; deny all;
			location / { allow all; proxy_pass http://app; } }`,
			[]asked{{target: "/"}}, nil, []string{"deny all"}},
		{"nested", pool + `server { listen 80;
			location /a { limit_req zone=z; location /a/b { proxy_pass http://app; } }
			location / { proxy_pass http://app; } } limit_req_zone $binary_remote_addr zone=z:1m rate=1r/s;`,
			[]asked{{target: "/a/b"}}, []string{"limit_req zone=z"}, nil},
		{"beside the nested one", pool + `server { listen 80;
			location /a { proxy_pass http://app; location /a/b { limit_req zone=z; proxy_pass http://app; } }
			} limit_req_zone $binary_remote_addr zone=z:1m rate=1r/s;`,
			[]asked{{target: "/a/c"}}, nil, []string{"limit_req zone=z"}},
		{"a return comes first", pool + `server { listen 80; auth_basic closed; return 301 https://$host/; }`,
			[]asked{{target: "/"}}, nil, []string{"auth_basic closed"}},
		{"another server", pool + `server { listen 80; server_name app; location / { proxy_pass http://app; } }
			server { listen 80; server_name blog; proxy_cache c; location / { proxy_pass http://app; } } proxy_cache_path /c keys_zone=c:1m;`,
			[]asked{{to: "app", target: "/"}}, nil, []string{"proxy_cache c"}},
		{"by the Host header", pool + `server { listen 80; server_name app; location / { proxy_pass http://app; } }
			server { listen 80; server_name blog; proxy_cache c; location / { proxy_pass http://app; } } proxy_cache_path /c keys_zone=c:1m;`,
			[]asked{{to: "80", host: "blog:80", target: "/"}}, []string{"proxy_cache c"}, nil},
		{"another listen", pool + `server { listen 80; listen 81 proxy_protocol; location / { proxy_pass http://app; } }`,
			[]asked{{target: "/"}}, nil, []string{"listen 81 proxy_protocol"}},
		{"an error page", pool + `server { listen 80; error_page 502 504 @php;
			location / { proxy_pass http://app; }
			location @php { fastcgi_pass php:9000; } }`,
			[]asked{{target: "/"}}, []string{"fastcgi_pass php:9000"}, nil},
		{"an error page of a backend's own status", pool + `server { listen 80; error_page 404 @php;
			location / { proxy_pass http://app; }
			location @php { fastcgi_pass php:9000; } }`,
			[]asked{{target: "/"}}, nil, []string{"fastcgi_pass php:9000"}},
		{"that is intercepted", pool + `server { listen 80; error_page 404 @php; proxy_intercept_errors on;
			location / { proxy_pass http://app; }
			location @php { fastcgi_pass php:9000; } }`,
			[]asked{{target: "/"}}, []string{"fastcgi_pass php:9000"}, nil},
		{"a rewrite", pool + `server { listen 80; rewrite ^/old/(.*) /new/$1;
			location / { proxy_pass http://app; }
			location /new { fastcgi_pass php:9000; } }`,
			[]asked{{target: "/old/a"}}, []string{"fastcgi_pass php:9000"}, nil},
		{"an if", pool + `server { listen 80;
			location / { if ($request_method = POST) { fastcgi_pass php:9000; } proxy_pass http://app; } }`,
			[]asked{{target: "/"}}, nil, []string{"fastcgi_pass php:9000"}},
		{"the handler of its location", pool + `server { listen 80;
			location / { if ($request_method = POST) { set $a 1; } fastcgi_pass php:9000; } }`,
			[]asked{{target: "/", method: "POST"}}, []string{"fastcgi_pass php:9000"}, nil},
		{"a method", pool + `server { listen 80;
			location / { limit_except GET { auth_basic closed; } proxy_pass http://app; } }`,
			[]asked{{target: "/", method: "POST"}}, []string{"auth_basic closed"}, nil},
		{"another method", pool + `server { listen 80;
			location / { limit_except GET { auth_basic closed; } proxy_pass http://app; } }`,
			[]asked{{target: "/"}}, nil, []string{"auth_basic closed"}},
		{"an upstream", pool + `upstream other { sticky cookie id; server o; }
			server { listen 80; location / { proxy_pass http://app; } location /o { proxy_pass http://other; } }`,
			[]asked{{target: "/"}}, nil, []string{"sticky cookie id"}},
		{"a geo that decides", pool + `geo $office { default 0; 10.0.0.0/8 1; } server { listen 80;
			location / { proxy_pass http://app; } location /in { if ($office) { return 403; } proxy_pass http://app; } }`,
			[]asked{{target: "/"}}, nil, []string{"if ($office)"}},
		{"a map with a pattern of PCRE", pool + `map $host $x { ~a(?R)b 1; } server { listen 80;
			location / { proxy_pass http://app; } location /in { if ($x) { return 403; } proxy_pass http://app; } }`,
			[]asked{{target: "/"}}, nil, []string{"~a(?R)b 1"}},
		{"a map with a pattern of PCRE that decides", pool + `map $host $x { ~a(?R)b 1; } map $x $y { default $x; } server { listen 80;
			location / { proxy_pass http://app; } location /in { if ($y) { return 403; } proxy_pass http://app; } }`,
			[]asked{{target: "/in"}}, []string{"~a(?R)b 1"}, nil},
		{"the root of one that answers nothing", pool + `server { listen 80; root /srv;
			location / { proxy_pass http://app; } location /files { } }`,
			[]asked{{target: "/"}}, nil, []string{"root /srv"}},
		{"no location", pool + `server { listen 80; root /srv;
			location /a { proxy_pass http://app; } }`,
			[]asked{{target: "/b"}}, []string{"root /srv"}, nil},
		{"no file, so the application", pool + `server { listen 80; root /srv; location / { try_files $uri $uri/ @app; }
			location @app { proxy_pass http://app; } location ~ \.php$ { fastcgi_pass php:9000; } }`,
			[]asked{{target: "/a"}}, nil, []string{"fastcgi_pass php:9000"}},
		{"no file, so PHP", pool + `server { listen 80; root /srv; location / { try_files $uri $uri/ /index.php?$args; }
			location ~ \.php$ { fastcgi_pass php:9000; } }`,
			[]asked{{target: "/a"}}, []string{"fastcgi_pass php:9000"}, nil},
		{"the page of an error", pool + `server { listen 80; error_page 500 502 /50x.html; location / { proxy_pass http://app; }
			location = /50x.html { root /srv; } location /files { root /srv; } }`,
			[]asked{{target: "/"}}, nil, []string{"root /srv"}},
		{"the clock", pool + `timer_resolution 100ms; server { listen 80; return 200; }`,
			[]asked{{target: "/"}}, []string{"timer_resolution 100ms"}, nil},
		{"mail", `mail { } http {` + pool + `server { listen 80; location / { proxy_pass http://app; } } }`,
			[]asked{{target: "/"}}, nil, []string{"mail"}},
		{"stream", `stream { server { listen 53; proxy_pass app:53; } server { listen 54; proxy_half_close on; proxy_pass app:54; } }
			http {` + pool + `server { listen 80; location / { proxy_pass http://app; } } }`,
			[]asked{{target: "/"}, {to: "53"}}, nil, []string{"proxy_half_close on"}},
		{"that stream server", `stream { server { listen 53; proxy_half_close on; proxy_pass app:53; } }
			http {` + pool + `server { listen 80; location / { proxy_pass http://app; } } }`,
			[]asked{{to: "53"}}, []string{"proxy_half_close on"}, nil},
		{"an unknown module", `load_module m.so; http { shrink on;` + pool + `server { listen 80; shrink off; location / { proxy_pass http://app; } } }`,
			[]asked{{target: "/"}}, []string{"shrink on", "shrink off"}, nil},
		{"an unknown module elsewhere", `load_module m.so; http { ` + pool + `server { listen 80; location / { proxy_pass http://app; } location /x { shrink on; proxy_pass http://app; } } }`,
			[]asked{{target: "/"}}, nil, []string{"shrink on"}},
		{"where clients come from", pool + `server { listen 80;
			location / { if ($remote_addr = 127.0.0.9) { fastcgi_pass php:9000; } proxy_pass http://app; } }`,
			[]asked{{target: "/"}, {target: "/", from: "127.0.0.9"}}, []string{"fastcgi_pass php:9000"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			only, unreached := reached(t, tt.text, tt.requests...)
			if !slices.Equal(only, tt.only) || !slices.Equal(unreached, tt.unreached) {
				t.Errorf("nginx only: %q, not reached: %q; want %q and %q", only, unreached, tt.only, tt.unreached)
			}
		})
	}
}

// Only where somebody asks for a client's address does a way depend on it.
func TestByAddress(t *testing.T) {
	for text, want := range map[string]bool{
		`server { listen 80; location / { proxy_pass http://a; proxy_set_header X $remote_addr; } }`:                      false,
		`upstream a { hash $remote_addr; server b; } server { listen 80; location / { proxy_pass http://a; } }`:           false,
		`server { listen 80; if ($remote_addr = 1.2.3.4) { return 403; } location / { proxy_pass http://a; } }`:           true,
		`map $remote_addr $who { default x; } server { listen 80; set $w $who; if ($w = x) { return 403; } return 200; }`: true,
	} {
		tree, problems := Parse("nginx.conf", []byte(text), nil)
		c, more := Interpret(tree)
		if len(problems)+len(more) > 0 {
			t.Fatal(problems, more)
		}
		if c.ByAddress() != want {
			t.Errorf("%s: %v, want %v", text, c.ByAddress(), want)
		}
	}
}
