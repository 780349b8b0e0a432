//go:build e2e

package process

import (
	"fmt"
	"io"
	"net"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// answering is a configuration whose answers are compared byte by byte. Every page
// of nginx is asked for.
const answering = `
worker_processes 1;
pid DIR/pid;
error_log DIR/error.log info;
events {}
http {
  access_log DIR/access.log;
  upstream dead { server DEAD; }
  upstream busy { server BUSY; }
  upstream fine { server FINE; }
  server {
    listen 127.0.0.1:PORT;
    server_name main;
    add_header X-S "s $status" always;
    add_header X-N n;
    uninitialized_variable_warn off;
    PAGES
    location /text { return 200 "t$uri"; }
    location /empty { return 503 ""; }
    location /to { return 302 $arg_v; }
    location /named { return 303 y; }
    location /added { add_header X-H "v $uri"; add_header X-E ""; add_header X-M a; add_header X-M b; return 404; }
    location /json { default_type application/json; return 200 "{}"; }
    location /lost { error_page 502 503 /fall; proxy_pass http://dead; }
    location /kept { error_page 502 = /fall; proxy_pass http://dead; }
    location /made { error_page 502 =200 /fall; proxy_pass http://dead; }
    location /away { error_page 502 =302 http://other/; proxy_pass http://dead; }
    location /moved { error_page 404 https://x/$uri; return 404; }
    location /taken { error_page 503 /fall; proxy_intercept_errors on; proxy_pass http://busy; }
    location /fall { return 200 "fall $status $uri $request_uri"; }
    location /small { client_max_body_size 5; proxy_pass http://fine; }
    location /small/not { client_max_body_size 5; return 200 ok; }
    location /fine { proxy_pass http://fine; }
  }
}
`

// pages are the statuses that a return may have.
var pages = []int{200, 201, 202, 204, 206, 301, 302, 303, 304, 307, 308, 400, 401, 402, 403, 404, 405, 406, 408, 409, 410, 411, 412, 413, 414,
	415, 416, 418, 421, 429, 444, 494, 495, 496, 497, 498, 499, 500, 501, 502, 503, 504, 505, 507, 508, 599, 600}

// questions are what is asked, each on a connection of its own that the client
// doesn't close: who waits for more shows as waiting.
func questions() []string {
	var out []string
	get := func(target string) {
		out = append(out, "GET "+target+" HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
	}
	for _, p := range pages {
		get(fmt.Sprintf("/page/%d", p))
	}
	for _, target := range []string{"/text", "/empty", "/to?v=/z", "/to?v=http://q", "/named", "/added", "/json", "/lost", "/kept", "/made", "/away", "/moved",
		"/taken", "/%", "/..", "/text/%00", "/a/../text/x", "*", "/text#x", "http://", "http://b:90/text", "http://b_/text", "//text//x"} {
		get(target)
	}
	post := func(target, more, body string) {
		out = append(out, "POST "+target+" HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"+more+"\r\n"+body)
	}
	for _, target := range []string{"/page/301", "/page/404", "/page/444", "/text", "/small", "/small/not", "/fine"} {
		post(target, "Content-Length: 5\r\n", "hello")
		post(target, "Transfer-Encoding: chunked\r\n", "6\r\nhello!\r\n0\r\n\r\n")
		post(target, "Content-Length: 5\r\nExpect: 100-continue\r\n", "hello")
	}
	// Nobody waits for the rest of a body that isn't read.
	post("/text", "Content-Length: 5\r\n", "he")
	post("/small", "Content-Length: 6\r\n", "he")
	post("/page/404", "Transfer-Encoding: chunked\r\n", "5\r\nhe")
	return append(out,
		"GET /text\r\n",
		"GET /page/404\r\n\r\n",
		"POST /fine\r\n",
		"GET /text HTTP/1.1\r\nHost: a b\r\n\r\n",
		"GET /text HTTP/1.1\r\nHost:\r\n\r\n",
		"GET /text HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
		"GET http://b/text HTTP/1.1\r\nHost: a/b\r\n\r\n",
		"GET /text HTTP/1.0\r\nLong: "+strings.Repeat("a", 9000)+"\r\n\r\n",
		// A line is refused when it is there.
		"\x16\x03\x01\x02\x00",
		"get",
		"nonsense\r\n",
		"PRI * HTTP/2.0\r\n",
		"GET /text HTTP/2.0\r\n",
		"GET /text HTTP/1.1\r\nBad name: x\r\n",
		"GET /text HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n",
	)
}

// The same nginx.conf gives the same answers, to the byte, and the same lines in
// the error log.
func TestAnswersAsNginx(t *testing.T) {
	replace := listenPeers(t)
	var all strings.Builder
	for _, p := range pages {
		fmt.Fprintf(&all, "location /page/%d { return %d; }\n", p, p)
	}
	port := strconv.Itoa(freePort(t))
	run := func(start func(t *testing.T, conf, dir string) (stop func())) (answers []string) {
		dir := t.TempDir()
		text := strings.NewReplacer(append([]string{"PORT", port, "DIR", dir, "PAGES", all.String()}, replace...)...).Replace(answering)
		conf := dir + "/nginx.conf"
		if err := os.WriteFile(conf, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		stop := start(t, conf, dir)
		address := "127.0.0.1:" + port
		await(t, "somebody listens", func() bool {
			c, err := net.Dial("tcp", address)
			if err == nil {
				_ = c.Close()
			}
			return err == nil
		})
		for i, q := range questions() {
			log := dir + "/error.log"
			before, _ := os.ReadFile(log)
			a := question(t, address, q)
			logged, _ := os.ReadFile(log)
			if strings.Contains(a, "[open]") {
				logged = before // what is logged is about us
			}
			for line := range strings.Lines(string(logged[len(before):])) {
				if line = bare(line); line != "" && !strings.Contains(line, "keepalive connection") && !strings.Contains(line, "waiting for request") {
					a += "\nlogged " + line
				}
			}
			answers = append(answers, fmt.Sprintf("%d: %.80q\n%s", i, q, a))
		}
		stop()
		return answers
	}
	nginx, ours := run(startNginx), run(startOurs)
	for i, n := range nginx {
		if o := ours[i]; n != o {
			t.Errorf("%s\n--- ours\n%s", n, o)
		}
	}
}

var (
	dated  = regexp.MustCompile(`Date: [^\r]*`)
	sized  = regexp.MustCompile(`Content-Length: \d+`)
	itself = regexp.MustCompile(`nginx/1\.22\.1|Server: nolive|<center>nolive<`)
)

// question asks, and reads until the proxy closes, or for as long as one that waits
// for more would be told from one that doesn't.
func question(t *testing.T, address, q string) string {
	t.Helper()
	return questionOver(t, "tcp", address, q)
}

// questionOver asks over a network.
func questionOver(t *testing.T, network, address, q string) string {
	t.Helper()
	c, err := net.Dial(network, address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, _ = io.WriteString(c, q)
	_ = c.SetReadDeadline(time.Now().Add(waits))
	b, err := io.ReadAll(c)
	a := string(b)
	if e, ok := err.(net.Error); ok && e.Timeout() {
		a += "[open]"
	}
	a = dated.ReplaceAllString(a, "Date: D")
	if named := itself.FindString(a); named != "" {
		// The length is that of a page with a name in it.
		a = itself.ReplaceAllStringFunc(a, func(s string) string {
			return strings.NewReplacer("nginx/1.22.1", "NAME", "nolive", "NAME").Replace(s)
		})
		if strings.Contains(a, "<center>NAME") {
			a = sized.ReplaceAllString(a, "Content-Length: N")
		}
	}
	return a
}

// waits is how long a connection has to stay open to count as open.
const waits = 500 * time.Millisecond
