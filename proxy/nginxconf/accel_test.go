package nginxconf

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nolive/nolive/proxy/upstream"
	"github.com/nolive/nolive/proxy/variable"
)

// accelConf has a location for everything that a backend may name.
const accelConf = `
upstream app { server a:80; }
upstream store { server s:80; }
server {
  listen 80;
  location / { proxy_pass http://app; }
  location /page/ { error_page 404 = @store; proxy_pass http://app; }
  location /deaf/ { proxy_ignore_headers X-Accel-Redirect; proxy_pass http://app; }
  location /taken/ { proxy_intercept_errors on; error_page 503 = @store; proxy_pass http://app; }
  location /in/ { internal; proxy_pass http://store/files/; }
  location /denied/ { internal; limit_except HEAD { deny all; } proxy_pass http://app; }
  location /text/ { return 200 "$request_method $uri $args"; }
  location ~ ^rel { proxy_pass http://store; }
  location @store { proxy_pass http://store; }
}
`

// A backend's X-Accel-Redirect leads where nginx 1.22.1 goes: TestAccelRedirectAsNginx
// asks it most of this.
func TestAccelRedirect(t *testing.T) {
	c := mustInterpret(t, accelConf)
	for _, tt := range []struct{ request, status, to, want, line string }{
		{"GET /a?q", "200", "/in/x", "store GET /files/x", ""},
		{"GET /a?q", "200", "/in/x?y=1&z", "store GET /files/x?y=1&z", ""},
		{"POST /a", "200", "/in/x", "store GET /files/x", ""},
		{"HEAD /a", "200", "/in/x", "store HEAD /files/x", ""},
		{"POST /a%20b?q", "200", "@store", "store POST /a%20b?q", ""},
		{"GET /a", "404", "/in/x", "store GET /files/x", ""},
		{"GET /a", "200", "/in/%61%20%3f", "store GET /files/a%20%3F", ""},
		{"GET /a", "200", "/in/a%zz%4", "store GET /files/azz", ""},
		{"GET /a", "200", "rel", "store GET rel", ""},
		{"GET /a", "200", "/denied/", "403", "access forbidden by rule"},
		{"PUT /a", "200", "/text/?b", "200 GET /text/ b", ""},
		{"GET /a", "200", "@none", "500", `could not find named location "@none" while reading response header from upstream`},
		{"GET /a", "200", "", "404", `unsafe URI "" was detected while reading response header from upstream`},
		{"GET /a", "200", "?x", "404", `unsafe URI "?x" was detected while reading response header from upstream`},
		{"GET /a", "200", "/in/../x?y", "404", `unsafe URI "/in/../x?y" was detected while reading response header from upstream`},
		{"GET /a", "200", "/in/..", "404", `unsafe URI "/in/.." was detected while reading response header from upstream`},
		{"GET /a", "200", "/in/..?y", "store GET /files/..?y", ""},
		{"GET /a", "200", "/in/%2e./x?y", "404", `unsafe URI "/in/../x" was detected while reading response header from upstream`},
		{"GET /a", "200", "/in/%00", "404", "unsafe URI \"/in/\x00\" was detected while reading response header from upstream"},
		{"GET /a", "200", "/in/..x", "store GET /files/..x", ""},
		{"GET /page/", "200", "..", "store GET /page/", `unsafe URI ".." was detected while reading response header from upstream`},
		{"GET /deaf/", "200", "/in/x", "no", ""},
		{"GET /taken/", "503", "/in/x", "store GET /taken/", ""},
		{"GET /taken/", "502", "/in/x", "store GET /files/x", ""},
	} {
		method, target, _ := strings.Cut(tt.request, " ")
		rq := &variable.Request{Method: method, Target: target, Host: "h"}
		var w Way
		step := w.Begin(c, c.Servers[0], rq, -1)
		status := map[string]int{"200": 200, "404": 404, "502": 502, "503": 503}[tt.status]
		next, ok := w.Intercept(step.Pass, status)
		if !ok {
			next, ok = w.AccelRedirect(step.Pass, tt.to, nil)
		}
		got := "no"
		switch p := next.Pass; {
		case !ok:
		case p != nil:
			got = strings.Join([]string{p.Upstream.Name, p.RequestMethod(&w), next.URI}, " ")
		default:
			got = strings.TrimSpace(fmt.Sprintln(next.Answer.Status, next.Answer.Text))
		}
		if line := strings.Join(w.Complaints(), "\n"); got != tt.want || line != tt.line {
			t.Errorf("%s answered %s %q: %q %q, want %q %q", tt.request, tt.status, tt.to, got, line, tt.want, tt.line)
		}
	}
}

// Two locations whose backends send a request to and fro end as a cycle of error pages
// does.
func TestAccelRedirectEnds(t *testing.T) {
	c := mustInterpret(t, accelConf)
	rq := &variable.Request{Method: "GET", Target: "/a", Host: "h"}
	var w Way
	step := w.Begin(c, c.Servers[0], rq, -1)
	hops := 0
	for ; step.Pass != nil; hops++ {
		step, _ = w.AccelRedirect(step.Pass, "/b", nil)
	}
	want := []string{`rewrite or internal redirection cycle while internally redirecting to "/b" while reading response header from upstream`}
	if got := w.Complaints(); hops != maxChanges+1 || step.Answer.Status != 500 || !slices.Equal(got, want) {
		t.Errorf("after %d hops %d %q", hops, step.Answer.Status, got)
	}
}

// A location that only a backend's header leads to counts as reached.
func TestReachByAccelRedirect(t *testing.T) {
	c := mustInterpret(t, `upstream app { server a:80; } server { listen 80; location / { proxy_pass http://app; }
		location /deaf { proxy_ignore_headers X-Accel-Redirect; proxy_pass http://app; } location /in { internal; fastcgi_pass php:9000; } }`)
	for target, want := range map[string]int{"/": 1, "/deaf": 0} {
		for sent, only := range map[string]int{"/in": want, "/else": 0} {
			r := c.NewReach()
			r.Redirects(func(u *upstream.Config) []string {
				if u.Name != "app" {
					t.Errorf("asked for %s", u.Name)
				}
				return []string{sent}
			})
			r.Request(c.Destination("", ""), variable.Request{Method: "GET", Target: target}, -1)
			if got := len(r.Config().NginxOnly); got != only {
				t.Errorf("%s by way of %s: %d notes, want %d", sent, target, got, only)
			}
		}
	}
}
