//go:build e2e

package process

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// redirecting has a location for everything that a backend may name in X-Accel-Redirect.
const redirecting = `
worker_processes 1;
pid DIR/pid;
error_log DIR/error.log info;
events {}
http {
  log_format all '$request_method $uri?$args $status [$upstream_addr] [$upstream_status] [$upstream_response_length] [$upstream_http_x_accel_redirect] [$sent_http_content_type]';
  access_log DIR/access.log all;
  log_not_found off;
  upstream app { server BACK; }
  upstream dead { server DEAD; }
  upstream echo { server ECHO; }
  server {
    listen 127.0.0.1:PORT;
    server_name www.example.com;
    location /app/ { proxy_cookie_path /in /out; proxy_hide_header Cache-Control; add_header X-Here app; proxy_pass http://app; }
    location /deaf/ { proxy_ignore_headers X-Accel-Redirect; proxy_pass http://app; }
    location /shown/ { proxy_ignore_headers X-Accel-Redirect; proxy_pass_header X-Accel-Redirect; proxy_pass http://app; }
    location /taken/ { proxy_intercept_errors on; error_page 404 503 =299 @in; proxy_pass http://app; }
    location /page/ { error_page 404 = /text/sorry; proxy_pass http://app; }
    location /lost/ { error_page 502 @in; proxy_pass http://app; }
    location /in/ { internal; add_header X-Here in; proxy_pass http://echo/files/; }
    location /in/dead/ { internal; proxy_pass http://dead; }
    location /in/plain/ { internal; proxy_hide_header Content-Type; proxy_pass http://echo; }
    location /in/again/ { internal; proxy_pass http://app/twice/; }
    location /in/denied/ { internal; limit_except HEAD { deny all; } proxy_pass http://echo; }
    location /in/caught/ { internal; error_page 403 =200 /in/x; limit_except HEAD { deny all; } proxy_pass http://echo; }
    location /text/ { return 200 "text $request_method $uri $args"; }
    location /moved/ { return 302 http://elsewhere/; }
    location /moved/here/ { return 302 /text/; }
    location /empty/ { return 204; }
    location @in { proxy_pass http://echo; }
    location @dead { proxy_pass http://dead; }
  }
}
`

// redirects are what the backend says in X-Accel-Redirect.
var redirects = []string{"/in/x", "/in/x?y=1", "/in/%61%20%3f", "/in/a%zz%4", "@in", "@dead", "@none", "", "?x", "..", "/in/../x", "/in/..", "/in/..?y", "/in/%2e%2e/x",
	"/in/..x", "rel", "http://else/", "/in/dead/", "/in/plain/", "/in/denied/", "/in/caught/", "/text/x?a=b", "/moved/", "/moved/here/", "/empty/", "/none", "/app/round", "/in/a b"}

// redirected are the backend's answers: each of redirects with no body and with one, one
// of an error, and lines that stay or don't.
func redirected() (answers []string) {
	for _, to := range redirects {
		answers = append(answers, "HTTP/1.1 200 OK\r\nX-Accel-Redirect: "+to+"\r\nContent-Length: 0\r\n\r\n")
	}
	for _, status := range []string{"404 Not Found", "503 Busy"} {
		answers = append(answers, "HTTP/1.1 "+status+"\r\nX-Accel-Redirect: /in/x\r\nX-Accel-Redirect: /in/y\r\nContent-Length: 4\r\n\r\nbody")
	}
	for _, to := range []string{"/in/x", "/in/plain/", "/text/x", "/none", "/in/dead/", "/moved/", "/moved/here/", "/empty/"} {
		for _, kind := range []string{"text/x", "text/x; charset=koi8-r", `text/x;a=b; charset="utf-8"`} {
			answers = append(answers, "HTTP/1.1 200 OK\r\nX-Accel-Redirect: "+to+"\r\nX-Own: o\r\nContent-Type: "+kind+"\r\nSet-Cookie: a=1; path=/in\r\nSet-Cookie: b=2\r\nCache-Control: no-store\r\n"+
				"Cache-Control: private\r\nExpires: never\r\nContent-Disposition: inline\r\nAccept-Ranges: bytes\r\nETag: e\r\nLast-Modified: never\r\nRefresh: 5\r\nLocation: /x\r\nVary: a\r\nContent-Length: 4\r\n\r\nbody")
		}
	}
	return answers
}

// echoing is a peer that answers with what it was asked, with header lines of its own.
func echoing(t *testing.T) (address string) {
	return playing(t, func(c net.Conn, r *bufio.Reader) {
		rq, err := http.ReadRequest(r)
		if err != nil {
			return
		}
		body, _ := io.ReadAll(rq.Body)
		said := fmt.Sprintf("%s %s %s %s", rq.Method, rq.RequestURI, rq.Proto, body)
		_, _ = fmt.Fprintf(c, "HTTP/1.1 200 Fine\r\nX-Store: s\r\nContent-Type: text/store\r\nSet-Cookie: s=3; path=/in\r\nCache-Control: public\r\nContent-Length: %d\r\n\r\n", len(said))
		if rq.Method != "HEAD" {
			_, _ = io.WriteString(c, said)
		}
	})
}

// A backend's X-Accel-Redirect does what it does on nginx: to the request, to the header
// lines of the answer, to the connection, and in the logs.
func TestAccelRedirectAsNginx(t *testing.T) {
	answers := redirected()
	back, set := answeringCases(t)
	set(answers)
	asked := asCases(answers, []string{"/app/a?q", "/deaf/a", "/shown/a", "/taken/a", "/page/a", "/lost/a"})
	for i, to := range redirects {
		for _, method := range []string{"HEAD", "DELETE"} {
			if method == "HEAD" && to != "@in" && to != "/in/x" {
				continue // the length of a page that doesn't come has the name of who made it
			}
			asked = append(asked, fmt.Sprintf("%s /app/a%%20b HTTP/1.1\r\nHost: www.example.com\r\nX-Case: %d\r\nConnection: close\r\n\r\n", method, i))
		}
		asked = append(asked, fmt.Sprintf("POST /app/a HTTP/1.1\r\nHost: www.example.com\r\nX-Case: %d\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello", i))
	}
	replace := append(listenPeers(t), "BACK", back, "ECHO", echoing(t))
	nginx, ours := sides(t, redirecting, replace, asked, "access.log", "error.log")
	sameSides(t, asked, nginx, ours)
	if all := strings.Join(nginx.answers, ""); !strings.Contains(all, "GET /files/x ") || !strings.Contains(all, "hello") {
		t.Errorf("nobody was sent anywhere, or no body went along")
	}
}
