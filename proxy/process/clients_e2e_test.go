//go:build e2e

package process

import (
	"slices"
	"strings"
	"testing"
)

// patient has every directive about clients' connections, in servers of their own.
const patient = `
worker_processes 1;
pid DIR/pid;
error_log DIR/error.log info;
events {}
http {
  log_format asked '$uri $status $request_length [$http_under_score] [$http_good] [$sent_http_keep_alive] $connection_requests $request_completion';
  access_log DIR/access.log asked;
  upstream app { server FINE; }
  server {
    listen 127.0.0.1:PORT;
    server_name plain;
    keepalive_requests 3;
    location / { return 200 plain; }
    location /app { proxy_pass http://app; }
    location /short { keepalive_timeout 200ms; return 200 short; }
    location /told { keepalive_timeout 200ms 20s; return 200 told; }
    location /told/app { keepalive_timeout 200ms 1m; proxy_pass http://app; }
    location /none { keepalive_timeout 0; return 200 none; }
    location /none/app { keepalive_timeout 0; proxy_pass http://app; }
    location /page { keepalive_timeout 0; error_page 404 /; return 404; }
    location /late { error_page 404 /none; return 404; }
    location /second { keepalive_requests 2; return 200 second; }
    location /body { client_body_timeout 200ms; proxy_pass http://app; }
    location /limit { limit_except GET { proxy_pass http://app; } keepalive_timeout 0; return 204; }
  }
  server {
    listen 127.0.0.1:ALSO;
    server_name strict;
    keepalive_timeout 0;
    client_header_timeout 200ms;
    large_client_header_buffers 2 1k;
    underscores_in_headers on;
    if ($arg_x) { return 200 "server $http_under_score"; }
    location / { return 200 "$http_under_score|$http_good"; }
    location /app { proxy_pass http://FINE; }
  }
  server {
    listen 127.0.0.1:ALSO;
    server_name odd;
    ignore_invalid_headers off;
    location / { return 200 "$http_under_score|$http_good"; }
  }
}
`

// Clients' connections are kept, bounded and given up as on nginx.
func TestClientsAsNginx(t *testing.T) {
	replace := listenPeers(t)
	line := func(target, host, more string) string {
		return "GET " + target + " HTTP/1.1\r\nHost: " + host + "\r\n" + more + "\r\n"
	}
	odd := "Under_Score: u\r\nGood: g\r\nOdd!Name: o\r\n"
	var asked []string
	for _, target := range []string{"/", "/app", "/short", "/told", "/told/app", "/none", "/none/app", "/page", "/late", "/second", "/limit"} {
		asked = append(asked, line(target, "plain", ""), line(target, "plain", odd)+line(target, "plain", "")+line(target, "plain", "")+line(target, "plain", ""))
	}
	asked = append(asked,
		"POST /limit HTTP/1.1\r\nHost: plain\r\nContent-Length: 1\r\n\r\nx",
		"GET /none HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
		"GET /told HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
		"POST /body HTTP/1.1\r\nHost: plain\r\nContent-Length: 5\r\n\r\nhe",
		"POST /body HTTP/1.1\r\nHost: plain\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhe",
	)
	nginx, ours := sides(t, patient, replace, asked, "access.log", "error.log")
	sorted(nginx.logs)
	sorted(ours.logs)
	sameSides(t, asked, nginx, ours)
	asked = []string{
		"127.0.0.1:ALSO|" + line("/", "strict", odd),
		"127.0.0.1:ALSO|" + line("/?x=1", "strict", odd),
		"127.0.0.1:ALSO|" + line("/", "odd", odd),
		"127.0.0.1:ALSO|GET / HTTP/1.1\r\n" + odd + "Host: odd\r\n\r\n",
		"127.0.0.1:ALSO|" + line("/", "strict", odd) + line("/", "strict", ""),
		"127.0.0.1:ALSO|GET / HTTP/1.1\r\nHost: strict\r\n",
		"127.0.0.1:ALSO|GET /",
		"127.0.0.1:ALSO|",
		"127.0.0.1:ALSO|" + line("/"+strings.Repeat("a", 900), "strict", ""),
		"127.0.0.1:ALSO|" + line("/"+strings.Repeat("a", 1100), "strict", ""),
		"127.0.0.1:ALSO|" + line("/", "strict", "Good: "+strings.Repeat("a", 900)+"\r\n"),
		"127.0.0.1:ALSO|" + line("/", "strict", "Good: "+strings.Repeat("a", 1100)+"\r\n"),
		"127.0.0.1:ALSO|" + line("/", "strict", strings.Repeat("Good: "+strings.Repeat("a", 300)+"\r\n", 20)),
	}
	nginx, ours = sides(t, patient, replace, asked)
	sameSides(t, asked, nginx, ours)
}

// sorted puts lines in order: one that waits for a client that lingers may come
// after the next one.
func sorted(logs map[string][]string) {
	for _, lines := range logs {
		slices.Sort(lines)
	}
}
