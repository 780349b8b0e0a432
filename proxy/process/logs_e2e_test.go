//go:build e2e

package process

import (
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

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

func isTime(field string) bool { return strings.HasSuffix(field, "_time") }

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

// The same nginx.conf gives the same lines in the access log and in the error log
// on the real nginx and here.
func TestLogsAsNginx(t *testing.T) {
	late := watchLateness(t)
	replace := listenPeers(t)
	format := "$" + strings.Join(fields, "|$")
	port := strconv.Itoa(freePort(t))
	run := func(name string, start func(t *testing.T, conf, dir string) (stop func())) map[string][]string {
		dir := t.TempDir()
		text := strings.NewReplacer(append([]string{"PORT", port, "DIR", dir, "FORMAT", format}, replace...)...).Replace(compared)
		conf := dir + "/nginx.conf"
		if err := os.WriteFile(conf, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		stop := start(t, conf, dir)
		address := "127.0.0.1:" + port
		await(t, name+" listens", func() bool {
			c, err := net.Dial("tcp", address)
			if err == nil {
				_ = c.Close()
			}
			return err == nil
		})
		for i, a := range asks {
			// Each has a path of its own: lines are sorted by it, because a line that
			// waits for a client that lingers may come after the next one.
			for _, path := range []string{"/text", "/hang", "/refused"} {
				a = strings.Replace(a, path+" HTTP/", fmt.Sprintf("%s/%d HTTP/", path, i), 1)
			}
			ask(t, address, a)
		}
		stop()
		out := map[string][]string{}
		for _, log := range []string{"access.log", "json.log", "bad.log", "raw.log", "error.log", "second.log", "second-error.log"} {
			b, err := os.ReadFile(dir + "/" + log)
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(b)) {
				if line = bare(strings.ReplaceAll(line, dir, "DIR")); line != "" {
					out[log] = append(out[log], line)
				}
			}
		}
		return out
	}
	nginx := run("nginx", startNginx)
	ours := run("nolive", startOurs)
	tolerance := 0.02 + 3*late().Seconds()
	t.Logf("times may differ by %.3f s", tolerance)
	for _, log := range []string{"access.log", "second.log"} {
		slices.Sort(nginx[log])
		slices.Sort(ours[log])
		compareLines(t, log, nginx[log], ours[log], func(n, o string) string { return accessDiffers(n, o, tolerance) })
	}
	for _, log := range []string{"error.log", "second-error.log", "json.log", "bad.log", "raw.log"} {
		if !strings.Contains(log, "error") {
			slices.Sort(nginx[log])
			slices.Sort(ours[log])
		}
		compareLines(t, log, nginx[log], ours[log], func(n, o string) string {
			if n == o {
				return ""
			}
			return "differs"
		})
	}
	t.Logf("%d access lines, %d error lines", len(nginx["access.log"]), len(nginx["error.log"]))
}

func compareLines(t *testing.T, log string, nginx, ours []string, differs func(n, o string) string) {
	t.Helper()
	if len(nginx) == 0 {
		t.Errorf("%s: nginx has no lines", log)
	}
	for i := range max(len(nginx), len(ours)) {
		var n, o string
		if i < len(nginx) {
			n = nginx[i]
		}
		if i < len(ours) {
			o = ours[i]
		}
		if why := differs(n, o); why != "" {
			t.Errorf("%s line %d: %s\nnginx %s\nours  %s", log, i+1, why, n, o)
		}
	}
}

// accessDiffers says in which field two lines differ. nginx's pages have its name
// and version at their end, ours have ours; so do the heads.
func accessDiffers(nginx, ours string, tolerance float64) string {
	n, o := strings.Split(nginx, "|"), strings.Split(ours, "|")
	if len(n) != len(fields) || len(o) != len(fields) {
		return fmt.Sprintf("%d and %d fields", len(n), len(o))
	}
	var out []string
	for i, f := range fields {
		a, b := n[i], o[i]
		switch {
		case isTime(f):
			if !sameTimes(a, b, tolerance) {
				out = append(out, f+" "+a+" / "+b)
			}
		case a != b && (f == "body_bytes_sent" || f == "bytes_sent" || f == "sent_http_content_length"):
			x, _ := strconv.Atoi(a)
			y, _ := strconv.Atoi(b)
			const less = len("nginx/1.22.1") - len(Name)
			if x-y != less && x-y != 2*less {
				out = append(out, f+" "+a+" / "+b)
			}
		case a != b:
			out = append(out, f+" "+a+" / "+b)
		}
	}
	return strings.Join(out, ", ")
}

var number = regexp.MustCompile(`\d+\.\d{3}`)

// sameTimes compares lists of times: the same marks between them, and no two
// further apart than what the run's own timers were late.
func sameTimes(a, b string, tolerance float64) bool {
	if number.ReplaceAllString(a, "T") != number.ReplaceAllString(b, "T") {
		return false
	}
	x, y := number.FindAllString(a, -1), number.FindAllString(b, -1)
	for i := range x {
		p, _ := strconv.ParseFloat(x[i], 64)
		q, _ := strconv.ParseFloat(y[i], 64)
		if math.Abs(p-q) > tolerance {
			return false
		}
	}
	return true
}

var stamp = regexp.MustCompile(`^\d{4}/\d\d/\d\d \d\d:\d\d:\d\d (\[\w+\]) \d+#\d+: (\*\d+ )?`)

// bare is a line without its stamp and numbers; "" for one about the process.
func bare(line string) string {
	line = strings.TrimSuffix(line, "\n")
	if strings.Contains(line, " [notice] ") || strings.Contains(line, "epoll_wait() failed (4: ") {
		return "" // about the process, and about our signal
	}
	return stamp.ReplaceAllString(line, "$1 ")
}

// ask sends a request and reads until the proxy closes.
func ask(t *testing.T, address, raw string) {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(patience))
	raw, abort := strings.CutPrefix(raw, "ABORT")
	if _, err := io.WriteString(c, raw); err != nil {
		t.Fatal(err)
	}
	if abort {
		time.Sleep(300 * time.Millisecond)
		_ = c.Close()
		time.Sleep(100 * time.Millisecond) // lets the proxy notice before the next
		return
	}
	if !strings.HasSuffix(raw, "\r\n\r\n") && !strings.HasSuffix(raw, "hello") {
		_ = c.(*net.TCPConn).CloseWrite()
	}
	_, _ = io.Copy(io.Discard, c)
	// The line is written after the last byte.
	time.Sleep(20 * time.Millisecond)
}

func await(t *testing.T, what string, cond func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !cond(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

func startNginx(t *testing.T, conf, dir string) func() {
	return startProcess(t, exec.Command("nginx", "-p", dir, "-c", conf, "-e", dir+"/error.log", "-g", "daemon off; master_process off;"))
}

func startOurs(t *testing.T, conf, _ string) func() {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "NOLIVE_TEST_CONF="+conf)
	return startProcess(t, cmd)
}

func startProcess(t *testing.T, cmd *exec.Cmd) func() {
	t.Helper()
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := false
	t.Cleanup(func() {
		if !ended {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
		if t.Failed() && out.Len() > 0 {
			t.Logf("%s: %s", cmd.Path, out.String())
		}
	})
	return func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
		ended = true
	}
}

// watchLateness measures how late timers are until it is asked.
func watchLateness(t *testing.T) func() time.Duration {
	var worst atomic.Int64
	stop := make(chan struct{})
	t.Cleanup(func() { close(stop) })
	go func() {
		for {
			began := time.Now()
			select {
			case <-stop:
				return
			case <-time.After(5 * time.Millisecond):
			}
			if late := int64(time.Since(began) - 5*time.Millisecond); late > worst.Load() {
				worst.Store(late)
			}
		}
	}()
	return func() time.Duration { return time.Duration(worst.Load()) }
}
