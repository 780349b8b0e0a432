//go:build e2e

package nginx

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/nolive/nolive/harness/clock"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/nginxconf"
)

// These tests need nginx, and libfaketime above speed 1.

// Speed 1 takes seven minutes.
var speeds = flag.String("speeds", "30,60", "speeds of the curl loop")

var record = flag.String("record", "", "folder to keep the logs of all runs in")

// parse makes a configuration of a text, which stands in test.conf.
func parse(t *testing.T, text string) *nginxconf.Config {
	t.Helper()
	tree, problems := nginxconf.Parse("test.conf", []byte(text), nil)
	c, more := nginxconf.Interpret(tree)
	for _, p := range append(problems, more...) {
		t.Fatal(p)
	}
	return c
}

// tape is a sink that keeps everything.
type tape struct {
	mu     sync.Mutex
	events []event.Event
}

func (s *tape) Emit(e event.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, e)
}

func (s *tape) kind(k event.Kind) (out []event.Event) {
	for _, e := range s.events {
		if e.Kind == k {
			out = append(out, e)
		}
	}
	return out
}

// backend serves connections with f until the test ends and returns its address.
func backend(t *testing.T, f func(net.Conn, *bufio.Reader)) string {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	if f != nil { // else frozen: connections are made and nothing ever happens
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				go func() {
					defer c.Close()
					f(c, bufio.NewReader(c))
				}()
			}
		}()
	}
	return l.Addr().String()
}

// answer reads one request and answers it.
func answer(text string) func(net.Conn, *bufio.Reader) {
	return func(c net.Conn, r *bufio.Reader) {
		if req, err := http.ReadRequest(r); err == nil {
			io.Copy(io.Discard, req.Body)
			io.WriteString(c, text)
		}
	}
}

const ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"

// reset reads one request and resets the connection.
func reset(c net.Conn, r *bufio.Reader) {
	http.ReadRequest(r)
	c.(*net.TCPConn).SetLinger(0)
}

// bound is a socket that has a port, so that nobody else gets it, and doesn't listen.
func bound(t *testing.T) (fd int, address string) {
	t.Helper()
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	if err := unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	name, err := unix.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	return fd, fmt.Sprintf("127.0.0.1:%d", name.(*unix.SockaddrInet4).Port)
}

// refusing is an address that refuses connections.
func refusing(t *testing.T) string {
	_, address := bound(t)
	return address
}

// blackhole is an address that answers no SYN: its queue has room for one
// connection, which is ours.
func blackhole(t *testing.T) string {
	fd, address := bound(t)
	if err := unix.Listen(fd, 0); err != nil {
		t.Fatal(err)
	}
	plug, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { plug.Close() })
	return address
}

// master is the process of an nginx on this machine.
func master(p *Process) int { return p.child.(*child).pid }

// client is one that opens a connection for every request.
func client() *http.Client {
	return &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 2 * time.Minute}
}

// get asks once and returns the status, 0 when there was none.
func get(c *http.Client, address, path, id string) int {
	req, err := http.NewRequest("GET", "http://"+address+path, nil)
	if err != nil {
		return 0
	}
	if id != "" {
		req.Header.Set(event.RequestHeader, id)
	}
	resp, err := c.Do(req)
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	io.Copy(io.Discard, resp.Body)
	return resp.StatusCode
}

// run is nginx with a begun clock.
func run(t *testing.T, speed float64, conf string, backends map[string]string) (*Process, *tape, *clock.Clock) {
	t.Helper()
	sink, clk := &tape{}, clock.New(speed)
	p, err := Start(t.Context(), Options{Config: parse(t, conf), Backends: backends, Clock: clk, Sink: sink})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	origin, err := p.Align(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	clk.Begin(origin)
	clk.SleepUntil(context.Background(), 0, clock.Wait)
	return p, sink, clk
}

func stop(t *testing.T, p *Process) {
	t.Helper()
	keep := recordBegin(t, p)
	if err := p.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	keep()
}

// recordBegin keeps the logs of a run as a sample for TestRecorded, when -record
// asks for it: re-record with a newer nginx and look at what differs.
func recordBegin(t *testing.T, p *Process) func() {
	dir := *record
	if dir == "" || p.opts.Dir != "" || ended(p.child) {
		return func() {}
	}
	dir = filepath.Join(dir, strings.ReplaceAll(t.Name(), "/", "_"))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(name string, text []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("nginx.conf", p.opts.Config.Tree.Bytes())
	var b strings.Builder
	for _, name := range p.opts.Config.Backends {
		fmt.Fprintf(&b, "%s %s\n", name, p.opts.Backends[name])
	}
	fmt.Fprintf(&b, "version %s\n", p.Version())
	p.prefix.own = false // the logs have to outlive Close
	return func() {
		p.prefix.own = true
		defer p.prefix.remove()
		fmt.Fprintf(&b, "origin %d\nstopped %d %d\n", p.origin.second, p.end.msec, p.end.errors)
		write("run", []byte(b.String()))
		for _, name := range []string{accessFile, errorFile} {
			text, err := os.ReadFile(p.prefix.file(name))
			if err != nil {
				t.Fatal(err)
			}
			write(name, text)
		}
	}
}

const curlLoop = `
upstream apibackend {
  server 10.10.10.215:8000 max_fails=1 fail_timeout=30s;
  server 10.10.10.216:8000 max_fails=1 fail_timeout=30s;
  server 10.10.10.217:8000 max_fails=1 fail_timeout=30s;
}
server { location /api/ { proxy_pass http://apibackend/; } }
`

// The curl loop: one of three backends is frozen, requests come one after the
// other with pauses of 5 s. Every tenth is slow; on the edge of the penalty a
// cycle may be one shorter, see TestCurlLoop's window.
func TestCurlLoop(t *testing.T) {
	for _, s := range strings.Split(*speeds, ",") {
		speed, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatal(err)
		}
		t.Run("speed "+s, func(t *testing.T) {
			for try := 1; ; try++ {
				late := curl(t, speed)
				if late == 0 {
					return
				}
				t.Logf("at speed %v the machine was %v late in all", speed, late)
				if try == 3 {
					t.Fatal("three runs, and none proves anything: the machine is too busy")
				}
				speed = max(1, speed/2)
			}
		})
	}
}

// curl says how late everything was taken together, if that is so much that one of
// six requests in a row may have gone to another cycle; else it is 0, and what
// happened is as it has to be.
func curl(t *testing.T, speed float64) (late time.Duration) {
	good := backend(t, answer(ok))
	p, sink, clk := run(t, speed, curlLoop, map[string]string{
		"10.10.10.215:8000": backend(t, nil), "10.10.10.216:8000": good, "10.10.10.217:8000": backend(t, answer(ok)),
	})
	began := time.Now()
	c := client()
	var slow []int
	for n := 1; n <= 36; n++ {
		sent := clk.Now()
		if s := get(c, p.Address(""), "/api/", fmt.Sprintf("curl/%d", n)); s != 200 {
			t.Errorf("request %d: status %d", n, s)
		}
		now := clk.Now()
		if now-sent > 59*time.Second {
			slow = append(slow, n)
		}
		clk.SleepUntil(t.Context(), now+5*time.Second, clock.Send)
	}
	took := time.Since(began)
	late = clk.Now() - time.Duration(len(slow))*60*time.Second - 36*5*time.Second
	stop(t, p)
	if late > 5*time.Second {
		return late
	}
	t.Logf("speed %v: slow %v, wall %.1fs, clock error %v, lateness %+v", speed, slow, took.Seconds(), p.ClockError(), clk.Lateness().Jitter(clock.Send))

	marks := sink.kind(event.PeerMarked)
	if len(slow) != 4 || len(marks) != 4 {
		t.Errorf("%d slow requests %v and %d marks, want 4 and 4", len(slow), slow, len(marks))
	}
	for i, m := range marks {
		if m.Peer != "10.10.10.215:8000" || m.Upstream != "apibackend" || m.Outcome != event.ReadTimeout || m.Try != 1 {
			t.Errorf("mark %d: %+v", i, m)
		}
		if i < len(slow) && m.Request.N != slow[i] {
			t.Errorf("mark %d is of request %d, want %d", i, m.Request.N, slow[i])
		}
	}
	for i, s := range slow {
		// 10 requests a cycle; six pauses of 5 s end exactly on the 30 s edge.
		if i > 0 && (s-slow[i-1] < 9 || s-slow[i-1] > 10) {
			t.Errorf("slow requests %v", slow)
		}
	}
	if n := len(sink.kind(event.ProxyAnswered)); n != 36 {
		t.Errorf("%d answers, want 36", n)
	}
	if n := len(sink.kind(event.AttemptEnded)); n != 40 {
		t.Errorf("%d attempts, want 40", n)
	}
	for _, e := range sink.kind(event.AttemptEnded) {
		want := event.Passed
		if e.Peer == "10.10.10.215:8000" {
			want = event.ReadTimeout
		}
		if e.Outcome != want {
			t.Errorf("%+v", e)
		}
	}
	return 0
}
