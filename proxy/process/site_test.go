package process

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// site is a folder with a configuration, and perhaps a proxy that serves it.
type site struct {
	t    *testing.T
	dir  string
	port int
	cmd  *exec.Cmd
	done chan error
}

// newSite writes a configuration: the inside of http, with PORT, DIR and the
// names of peers replaced.
func newSite(t *testing.T, http string, replace ...string) *site {
	t.Helper()
	s := &site{t: t, dir: t.TempDir(), port: freePort(t)}
	s.write(http, replace...)
	return s
}

func (s *site) conf() string { return filepath.Join(s.dir, "nginx.conf") }

func (s *site) write(http string, replace ...string) {
	s.t.Helper()
	all := append([]string{"PORT", strconv.Itoa(s.port), "DIR", s.dir}, replace...)
	text := strings.NewReplacer(all...).Replace("pid DIR/pid;\nerror_log DIR/error.log info;\nevents {}\nhttp {\naccess_log DIR/access.log;\n" + http + "\n}\n")
	if err := os.WriteFile(s.conf(), []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

// lastPort is the last that freePort gave.
var lastPort atomic.Int32

// freePort is a port on which nobody listens at any address, another one each time. It
// is below those that the kernel gives to whoever asks for any, also to connections, so
// it stays free until the test takes it.
func freePort(t *testing.T) int {
	t.Helper()
	const first, many = 12000, 20000
	lastPort.CompareAndSwap(0, int32(os.Getpid()))
	for range many {
		port := first + int(lastPort.Add(1))%many
		l, err := net.Listen("tcp4", fmt.Sprintf("0.0.0.0:%d", port))
		if err != nil {
			continue
		}
		_ = l.Close()
		return port
	}
	t.Fatal("no port is free")
	return 0
}

// start runs the proxy and waits until it serves.
func (s *site) start() {
	s.t.Helper()
	s.cmd = exec.Command(os.Args[0])
	s.cmd.Env = append(os.Environ(), "NOLIVE_TEST_CONF="+s.conf())
	var errs strings.Builder
	s.cmd.Stderr = &errs
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.done = make(chan error, 1)
	go func() { s.done <- s.cmd.Wait() }()
	s.t.Cleanup(func() {
		_ = s.cmd.Process.Kill()
		select {
		case <-s.done:
		case <-time.After(patience):
		}
		if s.t.Failed() {
			s.t.Logf("standard error:\n%s\nerror log:\n%s", errs.String(), s.read("error.log"))
		}
	})
	s.eventually("it serves", func() bool {
		c, err := net.Dial("tcp", s.address())
		if err == nil {
			_ = c.Close()
		}
		return err == nil && s.read("pid") != ""
	})
}

func (s *site) address() string { return fmt.Sprintf("127.0.0.1:%d", s.port) }

func (s *site) read(name string) string {
	b, _ := os.ReadFile(filepath.Join(s.dir, name))
	return string(b)
}

func (s *site) signal(sig os.Signal) {
	s.t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.t.Fatal(err)
	}
}

// exits waits for the end of the process and returns its status.
func (s *site) exits() int {
	s.t.Helper()
	select {
	case err := <-s.done:
		s.done <- err
		return s.cmd.ProcessState.ExitCode()
	case <-time.After(patience):
		s.t.Fatal("it doesn't exit")
		return -1
	}
}

func (s *site) eventually(what string, cond func() bool) {
	s.t.Helper()
	for end := time.Now().Add(patience); !cond(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			s.t.Fatalf("never: %s", what)
		}
	}
}

// get asks on a connection of its own.
func (s *site) get(path string) (status int, body string) {
	s.t.Helper()
	c := s.dial()
	defer c.Close()
	return c.ask(path)
}

// conn is a client's connection.
type conn struct {
	net.Conn
	t *testing.T
	r *bufio.Reader
}

func (s *site) dial() *conn {
	s.t.Helper()
	c, err := net.Dial("tcp", s.address())
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(patience))
	return &conn{c, s.t, bufio.NewReader(c)}
}

func (c *conn) send(path string) {
	c.t.Helper()
	if _, err := io.WriteString(c, "GET "+path+" HTTP/1.1\r\nHost: a\r\n\r\n"); err != nil {
		c.t.Fatal(err)
	}
}

func (c *conn) answer() (status int, body string) {
	c.t.Helper()
	r, err := http.ReadResponse(c.r, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return r.StatusCode, string(b)
}

func (c *conn) ask(path string) (int, string) {
	c.t.Helper()
	c.send(path)
	return c.answer()
}

// ended says that the proxy closes the connection without a byte.
func (c *conn) ended() bool {
	_, err := c.r.ReadByte()
	return err == io.EOF
}

// gate is a backend that answers a request for /slow only when it is opened.
type gate struct {
	net.Listener
	arrived chan struct{}
	open    chan struct{}
}

func newGate(t *testing.T) *gate {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g := &gate{l, make(chan struct{}, 16), make(chan struct{})}
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			g.arrived <- struct{}{}
			select {
			case <-g.open:
			case <-r.Context().Done():
			}
		}
		_, _ = io.WriteString(w, "good")
	})}
	go func() { _ = srv.Serve(l) }()
	t.Cleanup(func() { _ = srv.Close() })
	return g
}

const overGate = `
upstream app { server GATE; server DEAD max_fails=1 fail_timeout=1h; keepalive 4; }
server {
  listen 127.0.0.1:PORT;
  location / { proxy_pass http://app; }
  location /gate { proxy_pass http://GATE/slow; }
  location /text { return 200 "VALUE"; }
}`

func gated(t *testing.T) (*site, *gate) {
	t.Helper()
	g := newGate(t)
	s := newSite(t, overGate, "GATE", g.Addr().String(), "DEAD", fmt.Sprintf("127.0.0.1:%d", freePort(t)), "VALUE", "one")
	s.start()
	return s, g
}

func (s *site) rewrite(g *gate, value, extra string) {
	s.write(overGate+extra, "GATE", g.Addr().String(), "DEAD", fmt.Sprintf("127.0.0.1:%d", freePort(s.t)), "VALUE", value)
}
