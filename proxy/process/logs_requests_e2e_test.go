//go:build e2e

package process

import "strings"

// The fields of the log: those with an upstream's list, and others. Times are
// compared by shape and size, everything else to the letter.
var fields = []string{
	"request", "status", "body_bytes_sent", "bytes_sent", "upstream_addr", "upstream_status", "upstream_connect_time", "upstream_header_time",
	"upstream_response_time", "upstream_response_length", "upstream_bytes_received", "upstream_bytes_sent", "upstream_http_x_peer",
	"upstream_http_server", "upstream_cookie_a", "upstream_cache_status", "request_length", "request_time", "request_method", "request_uri", "uri", "args",
	"is_args", "arg_c", "query_string", "host", "http_host", "http_user_agent", "http_cookie", "cookie_b", "remote_addr", "remote_user",
	"server_addr", "server_port", "server_name", "server_protocol", "scheme", "content_length", "content_type", "sent_http_content_type",
	"sent_http_content_length", "sent_http_location", "sent_http_transfer_encoding", "sent_http_connection", "sent_http_x_peer",
	"connection_requests", "connection_time", "pipe", "request_completion", "proxy_host", "proxy_port", "proxy_add_x_forwarded_for", "request_body", "https", "nginx_version",
	"binary_remote_addr", "document_uri", "hostname", "limit_rate", "sent_http_server", "http_x_forwarded_for", "ssl_protocol", "gzip_ratio", "own", "what", "bad", "sent_http_x_added",
}

const compared = `
worker_processes 1;
pid DIR/pid;
error_log DIR/error.log info;
events {}
http {
  log_format all 'FORMAT';
  log_format json escape=json '{"agent":"$http_user_agent","up":"$upstream_addr","none":"$http_none","req":"$request"}';
  log_format raw escape=none '$http_user_agent $http_none $request_uri';
  access_log DIR/access.log all;
  access_log DIR/json.log json;
  access_log DIR/bad.log json if=$bad;
  access_log DIR/raw.log raw buffer=4k flush=1s;
  proxy_read_timeout 1s;
  upstream refused { server DEAD; server FINE; }
  upstream timeout { server HANG; server FINE; }
  upstream halfhead { server HALFHEAD; server FINE; }
  upstream reset { server RESET; server FINE; }
  upstream closed { server CLOSED; server FINE; }
  upstream three { server DEAD; server RESET; server CLOSED; }
  upstream four { server DEAD; server RESET; server CLOSED; server FINE backup; }
  upstream none { server DEAD down; server FINE down; }
  upstream kept { server FINE; keepalive 2; }
  upstream stale { server STALE; keepalive 2; }
  upstream chunked { server CHUNKED; keepalive 2; }
  upstream old { server OLD; }
  upstream badheader { server BADHEADER; server FINE; }
  upstream bigheader { server BIGHEADER; }
  upstream nine { server NINE; }
  upstream busy { server BUSY; server FINE; }
  upstream busyalone { server BUSY; }
  map $status $bad { ~^[45] 1; default 0; }
  upstream cut { server CUT; server FINE; }
  upstream cutreset { server CUTRESET; server FINE; }
  upstream cuthang { server CUTHANG; server FINE; }
  upstream badchunk { server BADCHUNK; server FINE; }
  upstream hang { server HANG; }
  upstream gone { server unix:DIR/no.sock; server FINE; }
  server {
    listen 127.0.0.1:PORT;
    server_name main.example.com other;
    uninitialized_variable_warn off;
    proxy_http_version 1.1;
    proxy_set_header Connection "";
    location /refused { proxy_pass http://refused; }
    location /timeout { proxy_pass http://timeout; }
    location /halfhead { proxy_pass http://halfhead; }
    location /reset { proxy_pass http://reset; }
    location /closed { proxy_pass http://closed; }
    location /three { proxy_pass http://three; }
    location /four { proxy_pass http://four; }
    location /none { proxy_pass http://none; }
    location /kept { proxy_pass http://kept/elsewhere; }
    location /stale { proxy_pass http://stale; }
    location /chunked { proxy_pass http://chunked; }
    location /old { proxy_pass http://old; }
    location /badheader { proxy_pass http://badheader; proxy_next_upstream invalid_header; }
    location /bigheader { proxy_pass http://bigheader; }
    location /nine { proxy_pass http://nine; }
    location /busy { proxy_pass http://busy; proxy_next_upstream http_503; }
    location /cut { proxy_pass http://cut; }
    location /cutreset { proxy_pass http://cutreset; }
    location /cuthang { proxy_pass http://cuthang; }
    location /badchunk { proxy_pass http://badchunk; }
    location /hang { proxy_pass http://hang; }
    location /gone { proxy_pass http://gone; }
    location /literal { proxy_pass http://FINE; }
    location /fallback { proxy_pass http://three; error_page 502 504 = @next; }
    location @next { proxy_pass http://kept; }
    location /replaced { proxy_pass http://busyalone; proxy_intercept_errors on; error_page 503 /text; }
    location /added { proxy_pass http://kept; add_header X-Added "$upstream_status $request_method" always; proxy_set_header X-A "$remote_addr"; }
    location ~ ^/re/(?<what>.*)$ { set $own "mine $what"; return 200 "$1 $own"; }
    location /text { return 200 hello; }
    location /empty { return 204; }
    location /moved { return 301 http://example.com/; }
    location /missing { return 404; }
  }
  server {
    listen 127.0.0.1:PORT;
    uninitialized_variable_warn off;
    server_name second.example.com;
    access_log DIR/second.log all if=$arg_log;
    error_log DIR/second-error.log;
    location / { proxy_pass http://none; }
  }
}
`

// asks are the requests, each on a connection of its own. "ABORT" in front leaves
// after a while.
var asks = []string{
	"GET /refused?c=d HTTP/1.1\r\nHost: Main.Example.com\r\nUser-Agent: \"quoted\\\"\x01\r\nCookie: a=1; b=2\r\nConnection: close\r\n\r\n",
	"GET /timeout HTTP/1.1\r\nHost: a:8080\r\nConnection: close\r\n\r\n",
	"GET /halfhead HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
	"GET /reset HTTP/1.1\r\nHost: a\r\nReferer: http://r/\r\nConnection: close\r\n\r\n",
	"POST /closed HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello",
	"GET /three HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
	"GET /three/again HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
	"GET /four HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
	"GET /none HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
	"GET /kept/1?x HTTP/1.1\r\nHost: a\r\n\r\nGET /kept/2 HTTP/1.1\r\nHost: a\r\n\r\nGET /kept/3 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
	"GET /stale/1 HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 1.1.1.1\r\nX-Forwarded-For: 2.2.2.2\r\n\r\nGET /stale/2 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
	"GET /chunked HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
	"GET /chunked HTTP/1.0\r\nHost: a\r\n\r\n",
	"HEAD /kept HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
	"GET /old HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
	"GET /badheader HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
	"GET /bigheader HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
	"GET /nine HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
	"GET /busy HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
	"GET /cut HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
	"GET /cutreset HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
	"GET /cuthang HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
	"GET /badchunk HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
	"ABORTGET /hang HTTP/1.1\r\nHost: a\r\n\r\n",
	"GET /hang HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
	"GET /gone HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
	"GET /literal/%41%20b?q HTTP/1.1\r\nHost: a\r\nAuthorization: Basic dXNlcjpwYXNz\r\nX-Forwarded-For: 1.2.3.4\r\nConnection: close\r\n\r\n",
	"PUT /literal HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
	"GET /text HTTP/1.1\r\nHost: other.\r\nConnection: close\r\n\r\n",
	"GET /fallback HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
	"GET /replaced HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
	"GET /added HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
	"GET /re/some?x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
	"GET /empty HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
	"GET /moved HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
	"GET /missing HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
	"GET / HTTP/1.1\r\nHost: second.example.com\r\nConnection: close\r\n\r\n",
	"GET /?log=0 HTTP/1.1\r\nHost: second.example.com\r\nConnection: close\r\n\r\n",
	"GET /?log=1 HTTP/1.1\r\nHost: second.example.com\r\nConnection: close\r\n\r\n",
	"GET /text HTTP/1.1\r\nConnection: close\r\n\r\n",
	"nonsense\r\n\r\n",
	"G@T /text HTTP/1.1\r\nHost: a\r\n\r\n",
	"GET text HTTP/1.1\r\nHost: a\r\n\r\n",
	"GET /text HTTP/3.0\r\nHost: a\r\n\r\n",
	"GET /text HTTP/x\r\nHost: a\r\n\r\n",
	"CONNECT /text HTTP/1.1\r\nHost: a\r\n\r\n",
	"TRACE /text HTTP/1.1\r\nHost: a\r\n\r\n",
	"GET /text HTTP/1.1\r\nHost: a\r\nBad header: x\r\n\r\n",
	"GET /text HTTP/1.1\r\nHost: a\r\nUnder_score: x\r\nConnection: close\r\n\r\n",
	"POST /text HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n",
	"POST /text HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
	"POST /text HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
	"POST /text HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n",
	"POST /text HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n",
	"POST /refused HTTP/1.1\r\nHost: a\r\nContent-Length: 2000000\r\n\r\n",
	"POST /refused HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\nConnection: close\r\n\r\nhello",
	"GET /" + strings.Repeat("long", 3000) + " HTTP/1.1\r\nHost: a\r\n\r\n",
	"GET http://abs.example.com/text?x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
	"GET /a/../text//./x%2e HTTP/1.1\r\nHost: A.b:80\r\nConnection: keep-alive, close\r\n\r\n",
	"GET /half HTTP/1.1\r\nHost: a\r\n",
	"",
}
