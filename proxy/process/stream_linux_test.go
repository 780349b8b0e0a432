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

// streaming passes connections on.
const streaming = `
MODULES
worker_processes 1;
pid DIR/pid;
error_log DIR/main.log info;
events {}
stream {
  log_format all '$protocol $remote_addr $server_addr $status $bytes_received/$bytes_sent '
    '$upstream_addr $upstream_bytes_sent/$upstream_bytes_received $upstream_connect_time $upstream_first_byte_time '
    '$upstream_session_time $session_time';
  access_log DIR/access.log all;
  error_log DIR/error.log info;
  upstream fine { server OLD; }
  upstream over { server DEAD; server OLD; }
  upstream dead { server DEAD; server DEAD backup; }
  upstream none { server OLD down; }
  upstream gone { server unix:DIR/no.sock; server OLD; }
  server { listen 127.0.0.1:ONE; proxy_pass fine; }
  server { listen 127.0.0.2:ONE; proxy_pass over; }
  server { listen 127.0.0.3:ONE; proxy_pass dead; }
  server { listen 127.0.0.4:ONE; proxy_pass none; }
  server { listen 127.0.0.5:ONE; proxy_pass RESET; }
  server { listen 127.0.0.6:ONE; proxy_pass HANG; }
  server { listen 127.0.0.7:ONE; proxy_pass HANG; proxy_timeout 300ms; }
  server { listen 127.0.0.8:ONE; proxy_pass gone; proxy_next_upstream_tries 1; }
  server { listen 127.0.0.8:TWO; proxy_pass gone; access_log off; error_log DIR/other.log warn; }
  server { listen TWO; proxy_pass fine; access_log DIR/wild.log all; }
  server { listen 127.0.0.9:TWO; proxy_pass over; access_log DIR/wild.log all; }
}
`

// sessions are the connections that are made one after the other, and which log
// has a line of each then.
var sessions = []struct {
	to, log string
	leaves  bool // the client does, when it has said something
}{
	{"127.0.0.1:ONE", "access.log", false},
	{"127.0.0.2:ONE", "access.log", false},
	{"127.0.0.2:ONE", "access.log", false},
	{"127.0.0.3:ONE", "access.log", false},
	{"127.0.0.3:ONE", "access.log", false},
	{"127.0.0.4:ONE", "access.log", false},
	{"127.0.0.5:ONE", "access.log", false},
	{"127.0.0.6:ONE", "access.log", true},
	{"127.0.0.7:ONE", "access.log", false},
	{"127.0.0.8:ONE", "access.log", false},
	{"127.0.0.1:TWO", "wild.log", false},
	{"127.0.0.9:TWO", "wild.log", false},
	{"127.0.0.8:TWO", "", false},
}

// streamLogs makes the sessions with whoever start starts, and returns the answers
// and the logs, without times and the kernel's ports.
func streamLogs(t *testing.T, modules string, start func(s *site) (stop func())) string {
	t.Helper()
	s := &site{t: t, dir: t.TempDir()}
	named := append([]string{
		"MODULES", modules, "DIR", s.dir, "ONE", strconv.Itoa(freePort(t)), "TWO", strconv.Itoa(freePort(t)),
	}, listenPeers(t)...)
	to := strings.NewReplacer(named...)
	if err := os.WriteFile(s.conf(), []byte(to.Replace(streaming)), 0o644); err != nil {
		t.Fatal(err)
	}
	stop := start(s)
	s.eventually("it serves", func() bool { return s.read("pid") != "" })
	var out strings.Builder
	lines := map[string]int{}
	for _, x := range sessions {
		fmt.Fprintf(&out, "%s: %s\n", x.to, session(t, to.Replace(x.to), x.leaves))
		if x.log != "" {
			lines[x.log]++
			s.eventually("a line in "+x.log, func() bool { return strings.Count(s.read(x.log), "\n") >= lines[x.log] })
		}
	}
	stop()
	for _, log := range []string{"access.log", "wild.log", "error.log", "other.log"} {
		fmt.Fprintf(&out, "%s\n%s", log, s.read(log))
	}
	var back []string
	for i := len(named) - 2; i >= 0; i -= 2 {
		if name := named[i]; name != "MODULES" {
			back = append(back, named[i+1], name)
		}
	}
	text := strings.NewReplacer(back...).Replace(out.String())
	text = regexp.MustCompile(`(?m)^\S+ \S+ (\[\w+\]) \d+#\d+: `).ReplaceAllString(text, "$1 ")
	text = regexp.MustCompile(`\b\d+\.\d{3}\b`).ReplaceAllString(text, "T")
	return regexp.MustCompile(`(client|proxy) 127\.0\.0\.1:\d+ conn`).ReplaceAllString(text, "$1 SELF conn")
}

// session says hello as a client of HTTP, and returns what came back.
func session(t *testing.T, to string, leaves bool) string {
	t.Helper()
	c, err := net.Dial("tcp", to)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(patience))
	_, _ = io.WriteString(c, "GET / HTTP/1.0\r\n\r\n")
	if leaves {
		_ = c.(*net.TCPConn).CloseWrite()
	}
	b, _ := io.ReadAll(c)
	first, _, _ := strings.Cut(string(b), "\r\n")
	return first
}

// What a stream server writes into its logs is what nginx 1.22.1 does, to the
// letter; the test with the tag e2e asks nginx.
func TestStream(t *testing.T) {
	got := streamLogs(t, "", func(s *site) func() { return startOurs(t, s.conf(), s.dir) })
	if got != streamed {
		t.Errorf("got\n%s\nwant\n%s", got, streamed)
	}
}

// streamed is what comes of the sessions.
const streamed = `127.0.0.1:ONE: HTTP/1.0 200 OK
127.0.0.2:ONE: HTTP/1.0 200 OK
127.0.0.2:ONE: HTTP/1.0 200 OK
127.0.0.3:ONE: 
127.0.0.3:ONE: 
127.0.0.4:ONE: 
127.0.0.5:ONE: 
127.0.0.6:ONE: 
127.0.0.7:ONE: 
127.0.0.8:ONE: 
127.0.0.1:TWO: HTTP/1.0 200 OK
127.0.0.9:TWO: HTTP/1.0 200 OK
127.0.0.8:TWO: HTTP/1.0 200 OK
access.log
TCP 127.0.0.1 127.0.0.1 200 18/56 OLD 18/56 T T T T
TCP 127.0.0.1 127.0.0.2 200 18/56 DEAD, OLD 0, 18/0, 56 -, T -, T T, T T
TCP 127.0.0.1 127.0.0.2 200 18/56 OLD 18/56 T T T T
TCP 127.0.0.1 127.0.0.3 502 0/0 DEAD, DEAD 0, 0/0, 0 -, - -, - T, T T
TCP 127.0.0.1 127.0.0.3 502 0/0 dead 0/0 - - T T
TCP 127.0.0.1 127.0.0.4 502 0/0 none 0/0 - - T T
TCP 127.0.0.1 127.0.0.5 200 18/0 RESET 18/0 T T T T
TCP 127.0.0.1 127.0.0.6 200 18/0 HANG 18/0 T - T T
TCP 127.0.0.1 127.0.0.7 200 18/0 HANG 18/0 T - T T
TCP 127.0.0.1 127.0.0.8 502 0/0 unix:DIR/no.sock 0/0 - - T T
wild.log
TCP 127.0.0.1 127.0.0.1 200 18/56 OLD 18/56 T T T T
TCP 127.0.0.1 127.0.0.9 200 18/56 OLD 18/56 T T T T
error.log
[info] *1 client SELF connected to 127.0.0.1:ONE
[info] *1 proxy SELF connected to OLD
[info] *1 upstream disconnected, bytes from/to client:18/56, bytes from/to upstream:56/18
[info] *3 client SELF connected to 127.0.0.2:ONE
[error] *3 connect() failed (111: Connection refused) while connecting to upstream, client: 127.0.0.1, server: 127.0.0.2:ONE, upstream: "DEAD", bytes from/to client:0/0, bytes from/to upstream:0/0
[warn] *3 upstream server temporarily disabled while connecting to upstream, client: 127.0.0.1, server: 127.0.0.2:ONE, upstream: "DEAD", bytes from/to client:0/0, bytes from/to upstream:0/0
[info] *3 proxy SELF connected to OLD
[info] *3 upstream disconnected, bytes from/to client:18/56, bytes from/to upstream:56/18
[info] *6 client SELF connected to 127.0.0.2:ONE
[info] *6 proxy SELF connected to OLD
[info] *6 upstream disconnected, bytes from/to client:18/56, bytes from/to upstream:56/18
[info] *8 client SELF connected to 127.0.0.3:ONE
[error] *8 connect() failed (111: Connection refused) while connecting to upstream, client: 127.0.0.1, server: 127.0.0.3:ONE, upstream: "DEAD", bytes from/to client:0/0, bytes from/to upstream:0/0
[warn] *8 upstream server temporarily disabled while connecting to upstream, client: 127.0.0.1, server: 127.0.0.3:ONE, upstream: "DEAD", bytes from/to client:0/0, bytes from/to upstream:0/0
[error] *8 connect() failed (111: Connection refused) while connecting to upstream, client: 127.0.0.1, server: 127.0.0.3:ONE, upstream: "DEAD", bytes from/to client:0/0, bytes from/to upstream:0/0
[warn] *8 upstream server temporarily disabled while connecting to upstream, client: 127.0.0.1, server: 127.0.0.3:ONE, upstream: "DEAD", bytes from/to client:0/0, bytes from/to upstream:0/0
[info] *11 client SELF connected to 127.0.0.3:ONE
[error] *11 no live upstreams while connecting to upstream, client: 127.0.0.1, server: 127.0.0.3:ONE, upstream: "dead", bytes from/to client:0/0, bytes from/to upstream:0/0
[info] *12 client SELF connected to 127.0.0.4:ONE
[error] *12 no live upstreams while connecting to upstream, client: 127.0.0.1, server: 127.0.0.4:ONE, upstream: "none", bytes from/to client:0/0, bytes from/to upstream:0/0
[info] *13 client SELF connected to 127.0.0.5:ONE
[info] *13 proxy SELF connected to RESET
[error] *13 recv() failed (104: Connection reset by peer) while proxying and reading from upstream, client: 127.0.0.1, server: 127.0.0.5:ONE, upstream: "RESET", bytes from/to client:18/0, bytes from/to upstream:0/18
[info] *13 upstream disconnected, bytes from/to client:18/0, bytes from/to upstream:0/18
[info] *15 client SELF connected to 127.0.0.6:ONE
[info] *15 proxy SELF connected to HANG
[info] *15 client disconnected, bytes from/to client:18/0, bytes from/to upstream:0/18
[info] *17 client SELF connected to 127.0.0.7:ONE
[info] *17 proxy SELF connected to HANG
[info] *17 connection timed out (110: Connection timed out) while proxying connection, client: 127.0.0.1, server: 127.0.0.7:ONE, upstream: "HANG", bytes from/to client:18/0, bytes from/to upstream:0/18
[info] *19 client SELF connected to 127.0.0.8:ONE
[crit] *19 connect() to unix:DIR/no.sock failed (2: No such file or directory) while connecting to upstream, client: 127.0.0.1, server: 127.0.0.8:ONE, upstream: "unix:DIR/no.sock", bytes from/to client:0/0, bytes from/to upstream:0/0
[warn] *19 upstream server temporarily disabled while connecting to upstream, client: 127.0.0.1, server: 127.0.0.8:ONE, upstream: "unix:DIR/no.sock", bytes from/to client:0/0, bytes from/to upstream:0/0
[info] *21 client SELF connected to 0.0.0.0:TWO
[info] *21 proxy SELF connected to OLD
[info] *21 upstream disconnected, bytes from/to client:18/56, bytes from/to upstream:56/18
[info] *23 client SELF connected to 127.0.0.9:TWO
[info] *23 proxy SELF connected to OLD
[info] *23 upstream disconnected, bytes from/to client:18/56, bytes from/to upstream:56/18
other.log
`
