//go:build e2e

package process

import (
	"fmt"
	"slices"
	"testing"
)

// several has servers by address and name, and what is said for all of them at
// several levels.
const several = `
worker_processes 2;
pid DIR/pid;
error_log DIR/error.log info;
error_log DIR/errors.log error;
error_log DIR/crit.log crit;
events {}
http {
  log_format short '$server_name $server_port $host $uri $status';
  log_format quoted escape=json '{"q":"$arg_q","a":"$http_user_agent"}';
  map $arg_log $logged { 0 0; default 1; }
  access_log DIR/access.log short;
  error_page 404 /http;
  add_header X-Http h always;
  client_max_body_size 10;
  server { listen 127.0.0.1:PORT; server_name first; location / { return 200 first; } }
  server { listen 127.0.0.1:PORT default_server; server_name second; location / { return 200 "second $host"; } }
  server { listen 127.0.0.1:PORT; listen 127.0.0.1:ALSO; server_name exact.example.com; location / { return 200 exact; } }
  server { listen 127.0.0.1:PORT; server_name *.example.com; location / { return 200 front; } }
  server { listen 127.0.0.1:PORT; server_name *.deep.example.com; location / { return 200 deeper; } }
  server { listen 127.0.0.1:PORT; server_name www.example.*; location / { return 200 back; } }
  server { listen 127.0.0.1:PORT; server_name .dotted.org; location / { return 200 dotted; } }
  server { listen 127.0.0.1:PORT; server_name ~^(?<sub>\w+)\.(\d+)\.re$ ""; location / { return 200 "re $sub $2"; } }
  server { listen 127.0.0.1:PORT; server_name ~^late; location / { return 200 late; } }
  server { listen 127.0.0.1:ALSO; server_name third; location / { return 200 "third $server_addr $server_port"; } }
  server { listen unix:DIR/sock; server_name local; location / { return 200 "local [$remote_addr] [$server_addr] [$server_port]"; } }
  server {
    listen 127.0.0.1:PORT;
    server_name levels;
    access_log DIR/access.log short if=$logged;
    access_log DIR/json.log quoted;
    error_log DIR/server.log warn;
    error_page 403 =200 /found;
    add_header X-Server s;
    client_max_body_size 5;
    location /found { return 200 "found $status"; }
    location /missing { return 404; }
    location /forbidden { return 403; }
    location /own { add_header X-Own o; return 404; }
    location /big { client_max_body_size 0; proxy_pass http://FINE; }
    location /body { proxy_pass http://FINE; }
    location /quiet { access_log off; return 200 quiet; }
    location /dead { error_log DIR/location.log error; proxy_pass http://DEAD; }
    location /gathered { access_log DIR/gathered.log short buffer=4k flush=1s; return 200 g; }
    location /by/ { access_log DIR/by-$arg_log.log short; return 204; }
    location /url { return http://example.com$uri?$args; }
    location /scheme { return $scheme://$host/x; }
    location /if { if ($arg_q = a) { return 403; } if ($arg_q != b) { return 200 notb; } if ($request_method !~ ^(GET|HEAD)$) { return 405; } if ($http_x ~* ^YES$) { return 301 /yes; } return 200 b; }
    location /chain { error_page 404 = @a; return 404; }
    location @a { error_page 502 =503 @b; recursive_error_pages on; proxy_pass http://DEAD; }
    location @b { return 200 "b $status"; }
    location = / { return 200 root; }
    location ^~ /static/ { return 200 static; }
    location ~* \.(gif|jpg)$ { return 200 "image $1"; }
    location ~ ^/nest/(.*) { location ~ deep { return 200 "deep $1"; } return 200 "nest $1"; }
    location /var/ { set $to FINE; proxy_pass http://$to/v/$arg_q; }
    location /nobody { proxy_pass http://$arg_q; }
    location /hidden { internal; return 200 no; }
  }
}
`

// Servers, levels and logs are those of nginx.
func TestServersAsNginx(t *testing.T) {
	var asked []string
	for _, host := range []string{"first", "second", "unknown", "exact.example.com", "EXACT.example.com.", "a.example.com", "a.deep.example.com", "deep.example.com", "example.com",
		"www.example.com", "www.example.net", "www.example.a.b", "dotted.org", "x.dotted.org", "ab.12.re", "ab.x.re", "late.12.re", "latest", "first:99", "[::1]", "levels"} {
		asked = append(asked, get(host, "/"), "127.0.0.1:ALSO|"+get(host, "/"))
	}
	asked = append(asked, "GET / HTTP/1.0\r\n\r\n", "DIR/sock|"+get("any", "/"), "DIR/sock|"+get("local", "/none"))
	for _, target := range []string{"/found", "/missing", "/forbidden", "/own", "/quiet", "/gathered?log=0", "/gathered", "/by/?log=x", "/url?a=b", "/scheme", "/if?q=a", "/if?q=b", "/if", "/chain",
		"/static/a.gif", "/x.GIF", "/nest/deep", "/nest/a", "/var/x?q=1", "/nobody?q=DEAD", "/nobody?q=a/b", "/nobody", "/nobody?q=unix:", "/hidden", "/dead", "/found?q=%22\"\\&log=1", "/missing?log=0"} {
		asked = append(asked, get("levels", target))
	}
	for _, target := range []string{"/big", "/body", "/found", "/if?q=b"} {
		for _, n := range []int{5, 6, 11} {
			asked = append(asked, fmt.Sprintf("POST %s HTTP/1.1\r\nHost: levels\r\nConnection: close\r\nUser-Agent: \"\x01é\r\nContent-Length: %d\r\n\r\n%.*s", target, n, n, "hello, world"))
		}
	}
	asked = append(asked, "GET /if?q=b HTTP/1.1\r\nHost: levels\r\nX: yes\r\nConnection: close\r\n\r\n")
	logs := []string{"access.log", "json.log", "error.log", "errors.log", "server.log", "location.log", "gathered.log", "by-x.log"}
	nginx, ours := sides(t, several, listenPeers(t), asked, logs...)
	for _, s := range []side{nginx, ours} {
		for _, name := range []string{"access.log", "error.log", "server.log", "errors.log"} {
			slices.Sort(s.logs[name])
		}
	}
	sameSides(t, asked, nginx, ours)
}
