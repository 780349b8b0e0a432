//go:build e2e

package process

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// leavingConf passes on in every way that matters to a client that leaves.
const leavingConf = `
worker_processes 1;
pid DIR/pid;
error_log DIR/error.log info;
events {}
http {
  log_format short '$uri $status $upstream_status $request_completion';
  access_log DIR/access.log short;
  proxy_read_timeout 1s;
  server {
    listen 127.0.0.1:PORT;
    proxy_http_version 1.1;
    location /plain { proxy_pass http://SLOW; }
    location /ignore { proxy_pass http://SLOW; proxy_ignore_client_abort on; }
    location /stream { proxy_pass http://SLOW; proxy_request_buffering off; }
    location /streamignore { proxy_pass http://SLOW; proxy_request_buffering off; proxy_ignore_client_abort on; }
    location /trickle { proxy_pass http://TRICKLE; }
    location /direct { proxy_pass http://TRICKLE; proxy_buffering off; }
    location /hang { proxy_pass http://HANG; }
    location /hangignore { proxy_pass http://HANG; proxy_ignore_client_abort on; }
    location /none { return 200 hello; }
    location /early { proxy_pass http://EARLY; proxy_request_buffering off; }
  }
}
`

// leavings are what clients do, a word a step: what is sent, "…" for a pause that
// the proxy notices, CORK to let what follows arrive at once, FIN for the end of sending, RST and CLOSE. PATH is the
// location. The backend SLOW answers after 400 ms, once it has all of a request;
// TRICKLE sends a byte every 100 ms, ten of them.
var leavings = map[string][]string{
	"fin-at-once":     {"CORK", "GET PATH HTTP/1.1\r\nHost: a\r\n\r\n", "FIN"},
	"fin-later":       {"GET PATH HTTP/1.1\r\nHost: a\r\n\r\n", "…", "FIN"},
	"rst-later":       {"GET PATH HTTP/1.1\r\nHost: a\r\n\r\n", "…", "RST"},
	"close-later":     {"GET PATH HTTP/1.1\r\nHost: a\r\n\r\n", "…", "CLOSE"},
	"fin-in-body":     {"PUT PATH HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhello", "…", "FIN"},
	"rst-in-body":     {"PUT PATH HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhello", "…", "RST"},
	"fin-with-body":   {"PUT PATH HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhello", "…", "CORK", "world", "FIN"},
	"fin-after-body":  {"PUT PATH HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhello", "…", "world", "…", "FIN"},
	"close-afterward": {"PUT PATH HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhello", "…", "world", "…", "CLOSE"},
	"fin-in-chunks":   {"PUT PATH HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", "…", "FIN"},
	"bad-chunk":       {"PUT PATH HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", "…", "zz\r\n"},
	"bad-at-once":     {"PUT PATH HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"},
	"chunks":          {"PUT PATH HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", "…", "5\r\nworld\r\n0\r\n\r\n"},
	"pipelined-fin":   {"CORK", "GET PATH HTTP/1.1\r\nHost: a\r\n\r\nGET PATH/2 HTTP/1.1\r\nHost: a\r\n\r\n", "FIN"},
	"all-in-parts":    {"PUT PATH HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 10\r\n\r\nhello", "…", "world"},
}

// A client that leaves, or closes its sending half, at any moment of a request
// gives the same lines in the access log, and the same answer, on the real nginx
// and here.
func TestLeavingAsNginx(t *testing.T) {
	serve := func(f func(net.Conn, *bufio.Reader)) string { return playing(t, f) }
	whole := func(r *bufio.Reader) bool {
		req, err := http.ReadRequest(r)
		if err != nil {
			return false
		}
		_, err = io.Copy(io.Discard, req.Body)
		return err == nil
	}
	replace := []string{
		"SLOW", serve(func(c net.Conn, r *bufio.Reader) {
			if whole(r) {
				time.Sleep(400 * time.Millisecond)
				_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
			}
		}),
		"TRICKLE", serve(func(c net.Conn, r *bufio.Reader) {
			if whole(r) {
				_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n")
				for range 10 {
					time.Sleep(100 * time.Millisecond)
					_, _ = io.WriteString(c, "x")
				}
			}
		}),
		"HANG", serve(func(_ net.Conn, r *bufio.Reader) { _, _ = io.Copy(io.Discard, r) }),
		"EARLY", serve(func(c net.Conn, r *bufio.Reader) {
			if _, err := http.ReadRequest(r); err == nil {
				_, _ = io.WriteString(c, "HTTP/1.1 413 No\r\nContent-Length: 2\r\n\r\nno")
				_, _ = io.Copy(io.Discard, r)
			}
		}),
	}
	port := strconv.Itoa(freePort(t))
	run := func(name string, start func(t *testing.T, conf, dir string) (stop func())) []string {
		dir := t.TempDir()
		conf := dir + "/nginx.conf"
		text := strings.NewReplacer(append([]string{"PORT", port, "DIR", dir}, replace...)...).Replace(leavingConf)
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
		done, n := make(chan string), 0
		var got []string
		for what, steps := range leavings {
			for _, at := range []string{"/plain", "/ignore", "/stream", "/streamignore", "/trickle", "/direct", "/hang", "/hangignore", "/early", "/none"} {
				n++
				go func() {
					done <- "client of " + at + "/" + what + " got " + leave(t, address, at+"/"+what, steps) + "\n"
				}()
			}
		}
		for range n {
			got = append(got, <-done)
		}
		// What goes on without its client is over after two time-outs.
		want := n + len([]string{"/ignore", "/hangignore", "/streamignore"})
		end := time.Now().Add(3 * time.Second)
		var lines []string
		for len(lines) < want && time.Now().Before(end) {
			b, _ := os.ReadFile(dir + "/access.log")
			lines = slices.Collect(strings.Lines(string(b)))
			time.Sleep(20 * time.Millisecond)
		}
		stop()
		b, err := os.ReadFile(dir + "/access.log")
		if err != nil {
			t.Fatal(err)
		}
		lines = slices.Collect(strings.Lines(string(b)))
		lines = append(lines, got...)
		slices.Sort(lines)
		return lines
	}
	nginx, ours := run("nginx", startNginx), run("nolive", startOurs)
	if len(nginx) < 2*len(leavings)*10 {
		t.Errorf("nginx has only %d lines", len(nginx))
	}
	for _, l := range nginx {
		if i := slices.Index(ours, l); i >= 0 {
			ours = slices.Delete(ours, i, i+1)
			continue
		}
		t.Errorf("only nginx: %s", l)
	}
	for _, l := range ours {
		t.Errorf("only ours:  %s", l)
	}
}

// leave carries out a client's steps, then reads until the proxy closes. It returns
// the first answer's status, "" for none.
func leave(t *testing.T, address, path string, steps []string) string {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Error(err)
		return ""
	}
	c := conn.(*net.TCPConn)
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(3 * time.Second))
	for _, s := range steps {
		switch s {
		case "…":
			time.Sleep(150 * time.Millisecond)
		case "CORK":
			cork(t, c)
		case "FIN":
			_ = c.CloseWrite()
		case "RST":
			_ = c.SetLinger(0)
			return ""
		case "CLOSE":
			return ""
		default:
			_, _ = io.WriteString(c, strings.ReplaceAll(s, "PATH", path))
		}
	}
	b, _ := io.ReadAll(c)
	if len(b) < 12 {
		return ""
	}
	return string(b[9:12])
}

func cork(t *testing.T, c *net.TCPConn) {
	raw, err := c.SyscallConn()
	if err == nil {
		err = raw.Control(func(fd uintptr) { err = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_CORK, 1) })
	}
	if err != nil {
		t.Error(err)
	}
}
