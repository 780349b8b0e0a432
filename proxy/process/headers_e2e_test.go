//go:build e2e

package process

import "testing"

// rewriting has every directive that changes the header lines of a backend.
const rewriting = `
worker_processes 1;
pid DIR/pid;
error_log DIR/error.log info;
events {}
http {
  log_format sent '$uri [$sent_http_location] [$sent_http_server] [$upstream_http_server] [$sent_http_last_modified] [$sent_http_content_type]';
  access_log DIR/access.log sent;
  upstream app { server BACK; }
  map $host $domain { default mapped.example.org; }
  server {
    listen 127.0.0.1:PORT;
    server_name www.example.com;
    location /plain/ { proxy_pass http://app; }
    location /uri/ { proxy_pass http://app/base/; }
    location /literal/ { proxy_pass http://BACK/base/; }
    location ~ ^/regex/ { proxy_pass http://app; }
    location /variable/ { set $to app; proxy_pass http://$to; }
    location /off/ { proxy_redirect off; proxy_pass http://app; }
    location /default/ { proxy_pass http://app/base/; proxy_redirect default; proxy_redirect http://other/ /other/; }
    location /two/ { proxy_redirect http://app/ http://two.example.com/$host/; proxy_redirect ~^https?://([^/]+)/(.*)$ /$1/to/$2; proxy_pass http://app; add_header X-Captured "$1-$2"; }
    location /case/ { proxy_redirect ~*^HTTP://APP/(?<rest>.*)$ $scheme://$host:$server_port/$rest; proxy_pass http://app; }
    location /relative/ { absolute_redirect off; proxy_pass http://app; }
    location /named/ { server_name_in_redirect on; port_in_redirect off; proxy_pass http://app; }
    location /outer/ { proxy_pass http://app/base/; location /outer/inner/ { proxy_pass http://BACK/inner/; } location /outer/none/ { proxy_redirect off; proxy_pass http://app; } }
    location /if/ { proxy_pass http://app/base/; if ($arg_x) { proxy_pass http://app; } }
    location /hide/ { proxy_hide_header X-Secret; proxy_hide_header Location; proxy_hide_header content-type; proxy_hide_header Last-Modified; proxy_hide_header Set-Cookie; proxy_pass http://app; }
    location /show/ { proxy_pass_header Server; proxy_pass_header date; proxy_pass_header X-Accel-Expires; proxy_pass_header X-Pad; proxy_pass http://app; }
    location /both/ { proxy_hide_header X-Secret; proxy_pass_header x-secret; proxy_pass http://app; }
    location /deaf/ { proxy_ignore_headers X-Accel-Buffering Set-Cookie; proxy_pass http://app; }
    location /cookies/ {
      proxy_cookie_domain app.internal www.example.com; proxy_cookie_domain ~^(\w+)\.other$ $1.$domain; proxy_cookie_domain .dotted.internal .dotted.example.com;
      proxy_cookie_path /base/ /; proxy_cookie_path ~^/re/(.+)$ /$1; proxy_cookie_path ~*^/CASE/ /lower/;
      proxy_pass http://app;
    }
    location /cookies/off/ { proxy_cookie_domain off; proxy_pass http://app; }
    location /flags/ { proxy_cookie_flags one secure httponly samesite=strict; proxy_cookie_flags ~^t nosecure nohttponly nosamesite; proxy_cookie_flags ~. samesite=lax $arg_flag; proxy_pass http://app; }
    location /flags/off/ { proxy_cookie_flags off; proxy_pass http://app; }
    location /taken/ { add_header Last-Modified ""; add_header etag "mine"; add_header X-Added a; proxy_pass http://app; }
    location /set/ { add_header Last-Modified "Tue, 03 Jan 2006 15:04:05 GMT" always; add_header ETag "first"; add_header ETag "second"; proxy_pass http://app; }
    location /set/hidden/ { proxy_hide_header ETag; add_header ETag "mine"; proxy_pass http://app; }
    location /login/ { proxy_intercept_errors on; error_page 401 = @login; proxy_pass http://app; }
    location /login/page/ { proxy_intercept_errors on; error_page 401 /signin; proxy_pass http://app; }
    location @login { return 302 /signin; }
    location /signin { return 403 "sign in"; }
  }
}
`

// rewritten are what backends answer with.
var rewritten = []string{
	"HTTP/1.1 302 Found\r\nLocation: http://app/x\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 302 Found\r\nLocation: http://app/base/x?y\r\nX-After: a\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 301 Moved\r\nX-Before: b\r\nLocation: http://BACK/base/deep/x\r\nX-After: a\r\nContent-Length: 2\r\n\r\nhi",
	"HTTP/1.1 302 Found\r\nLocation: https://app/x\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 302 Found\r\nLocation: HTTP://APP/x\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 302 Found\r\nLocation: /path\r\nX-After: a\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 302 Found\r\nLocation: relative\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 302 Found\r\nLocation: http://app\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 302 Found\r\nLocation:\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 201 Created\r\nLocation: http://app/created\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 302 Found\r\nLocation: http://other/z\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nRefresh: 5; URL=http://app/base/r\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nRefresh: 5;url=http://app/r;x\r\nRefresh: 7\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nServer: own\r\nDate: Mon, 02 Jan 2006 15:04:05 GMT\r\nX-Pad: p\r\nX-Accel-Expires: 5\r\nX-Accel-Limit-Rate: 0\r\nX-Accel-Charset: utf-8\r\nX-Accel-Other: shown\r\nKeep-Alive: timeout=5\r\nX-Secret: s\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nX-Secret: s\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nX-First: 1\r\nLast-Modified: Mon, 02 Jan 2006 15:04:05 GMT\r\nContent-Type: text/x; charset=utf-8\r\nETag: \"e\"\r\nExpires: never\r\nCache-Control: no-cache\r\nCache-Control: private\r\nLink: <a>\r\nVary: A\r\nAccept-Ranges: bytes\r\nWWW-Authenticate: Basic\r\nContent-Encoding: x\r\nContent-Disposition: inline\r\nStatus: 204\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nX-Accel-Buffering: no\r\nContent-Length: 4\r\n\r\nfour",
	"HTTP/1.1 401 Unauthorized\r\nETag: \"e\"\r\nWWW-Authenticate: Basic\r\nLast-Modified: Mon, 02 Jan 2006 15:04:05 GMT\r\nWWW-Authenticate: Bearer\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nSet-Cookie: one=1; Domain=app.internal; Path=/base/x; Secure\r\nSet-Cookie: two=2;Domain=.app.internal;path=/base/\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nSet-Cookie: three = 3 ; domain = sub.other ; PATH = /re/deep ; HttpOnly\r\nSet-Cookie: four=4; Domain=dotted.internal; Path=/case/x; Max-Age=5\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nSet-Cookie: nothing; Domain=app.internal\r\nSet-Cookie: five=; Domain; Path=/other\r\nSet-Cookie: six=a=b; Domain=APP.INTERNAL;;\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nSet-Cookie: one=1; SameSite=None; Secure; Secure; HttpOnly\r\nSet-Cookie: ONE=1; SameSite=strict\r\nSet-Cookie: ten=10; Secure; HttpOnly; SameSite=Lax\r\nSet-Cookie: other=1; samesite\r\nContent-Length: 0\r\n\r\n",
}

// doubled are answers with lines that nginx looks for behind what it sends, and then
// takes the last one for the log.
var doubled = []string{
	"HTTP/1.1 302 Found\r\nLocation: http://app/a\r\nLocation: http://app/b\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nContent-Type: text/a\r\nContent-Type: text/b\r\nLast-Modified: never\r\nLast-Modified: ever\r\nContent-Length: 0\r\n\r\n",
}

// The header lines of a backend reach the client as through nginx: rewritten,
// hidden, shown, and in the same order.
func TestHeadersAsNginx(t *testing.T) {
	targets := []string{"/plain/a", "/uri/a", "/literal/a", "/regex/a", "/variable/a", "/off/a", "/default/a", "/two/a", "/case/a", "/relative/a", "/named/a",
		"/outer/a", "/outer/inner/a", "/outer/none/a", "/if/a", "/if/a?x=1", "/hide/a", "/show/a", "/both/a", "/deaf/a", "/cookies/a", "/cookies/off/a", "/flags/a",
		"/flags/a?flag=Secure", "/flags/off/a", "/taken/a", "/set/a", "/set/hidden/a", "/login/a", "/login/page/a"}
	asked := asCases(rewritten, targets)
	back, set := answeringCases(t)
	set(rewritten)
	nginx, ours := sides(t, rewriting, []string{"BACK", back}, asked, "access.log", "error.log")
	sameSides(t, asked, nginx, ours)
	set(doubled)
	asked = asCases(doubled, targets)
	nginx, ours = sides(t, rewriting, []string{"BACK", back}, asked, "error.log")
	sameSides(t, asked, nginx, ours)
}

// waiting are answers whose bodies never end: the client gets what isn't buffered.
var waiting = []string{
	"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nten bytes.HANG",
	"HTTP/1.1 200 OK\r\nX-Accel-Buffering: no\r\nContent-Length: 100\r\n\r\nten bytes.HANG",
	"HTTP/1.1 200 OK\r\nX-Accel-Buffering: off\r\nContent-Length: 100\r\n\r\nten bytes.HANG",
}

// X-Accel-Buffering is heeded, unless proxy_ignore_headers says that it isn't.
func TestAccelBufferingAsNginx(t *testing.T) {
	asked := asCases(waiting, []string{"/plain/a", "/deaf/a"})
	back, set := answeringCases(t)
	set(waiting)
	nginx, ours := sides(t, rewriting, []string{"BACK", back}, asked, "access.log")
	sameSides(t, asked, nginx, ours)
}
