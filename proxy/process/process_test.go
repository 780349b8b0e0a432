package process

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nolive/nolive/proxy/upstream"
)

// The test binary runs as the proxy when it is told to, so that signals reach a
// real process.
func TestMain(m *testing.M) {
	if conf := os.Getenv("NOLIVE_TEST_CONF"); conf != "" {
		signals := make(chan os.Signal, 16)
		signal.Notify(signals, Signals...)
		os.Exit(Run(Options{Conf: conf, Signal: os.Getenv("NOLIVE_TEST_SIGNAL"), Version: judge}, os.Stdout, os.Stderr, signals))
	}
	os.Exit(m.Run())
}

// judge is the nginx that the tests' figures come from.
var judge, _ = upstream.ParseVersion("1.22.1")

// patience bounds every wait: a machine may be busy, but nothing takes this long.
const patience = 20 * time.Second

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

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
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

// TERM ends everything at once: the running request gets nothing more.
func TestTerm(t *testing.T) {
	for _, sig := range []os.Signal{syscall.SIGTERM, syscall.SIGINT} {
		s, g := gated(t)
		c := s.dial()
		c.send("/gate")
		<-g.arrived
		if pid := strings.TrimSpace(s.read("pid")); pid != strconv.Itoa(s.cmd.Process.Pid) {
			t.Errorf("pid file %q", pid)
		}
		s.signal(sig)
		if status := s.exits(); status != 0 {
			t.Errorf("%v: exit status %d", sig, status)
		}
		if !c.ended() {
			t.Errorf("%v: the client still got something", sig)
		}
		if s.read("pid") != "" {
			t.Errorf("%v: the pid file is left", sig)
		}
	}
}

// QUIT lets the running request finish, closes idle connections, takes nobody new.
func TestQuit(t *testing.T) {
	s, g := gated(t)
	idle, busy := s.dial(), s.dial()
	if _, body := idle.ask("/text"); body != "one" {
		t.Fatal(body)
	}
	busy.send("/gate")
	<-g.arrived
	s.signal(syscall.SIGQUIT)
	if !idle.ended() {
		t.Error("the idle connection stays")
	}
	s.eventually("nobody new", func() bool {
		c, err := net.Dial("tcp", s.address())
		if err == nil {
			_ = c.Close()
		}
		return err != nil
	})
	close(g.open)
	if status, body := busy.answer(); status != 200 || body != "good" {
		t.Errorf("the running request: %d %q", status, body)
	}
	if status := s.exits(); status != 0 || s.read("pid") != "" {
		t.Errorf("exit status %d, pid %q", status, s.read("pid"))
	}
}

// HUP: idle client connections are closed, running requests finish with the old
// configuration, new ones get the new one, and every mark is forgotten.
func TestReload(t *testing.T) {
	s, g := gated(t)
	idle, busy := s.dial(), s.dial()
	if status, _ := idle.ask("/"); status != 200 {
		t.Fatal(status)
	}
	idle.ask("/") // one of the two has found the dead peer
	busy.send("/gate")
	<-g.arrived
	const mark = "upstream server temporarily disabled"
	if n := strings.Count(s.read("error.log"), mark); n != 1 {
		t.Fatalf("%d marks", n)
	}
	s.rewrite(g, "two", "")
	s.signal(syscall.SIGHUP)
	if !idle.ended() {
		t.Error("the idle connection stays")
	}
	if _, body := s.get("/text"); body != "two" {
		t.Errorf("new configuration: %q", body)
	}
	s.get("/")
	s.get("/")
	if n := strings.Count(s.read("error.log"), mark); n != 2 {
		t.Errorf("%d marks, want a second one: the first is forgotten", n)
	}
	close(g.open)
	if status, body := busy.answer(); status != 200 || body != "good" {
		t.Errorf("the running request: %d %q", status, body)
	}
	if !busy.ended() {
		t.Error("the old configuration's connection stays")
	}
}

// A broken configuration changes nothing but the error log.
func TestReloadOfABrokenConfiguration(t *testing.T) {
	s, g := gated(t)
	for extra, want := range map[string]string{
		"\nnonsense on;": `unknown directive "nonsense" in ` + s.conf() + ":",
		"\naccess_log DIR/none/x.log;\nserver { listen 127.0.0.1:PORT; server_name b; access_log DIR/none/x.log; }": `open() "` + s.dir + `/none/x.log" failed (2: No such file or directory)`,
		"\nserver { listen 127.0.0.1:PORT; server_name b; location / { proxy_pass http://no.such.host.invalid; } }": `host not found in upstream "no.such.host.invalid" in ` + s.conf() + ":",
	} {
		s.rewrite(g, "two", extra)
		s.signal(syscall.SIGHUP)
		s.eventually(want, func() bool {
			return strings.Contains(s.read("error.log"), "[emerg]") && strings.Contains(s.read("error.log"), want)
		})
		if _, body := s.get("/text"); body != "one" {
			t.Errorf("%s: %q", want, body)
		}
	}
}

// A reload may add an address, and leave one.
func TestReloadOfAddresses(t *testing.T) {
	s, g := gated(t)
	old := s.address()
	first := s.port
	s.port = freePort(t)
	s.rewrite(g, "two", "\nserver { listen unix:DIR/sock; return 200 unix; }")
	s.signal(syscall.SIGHUP)
	s.eventually("the new address", func() bool {
		c, err := net.Dial("tcp", s.address())
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	})
	if _, body := s.get("/text"); body != "two" {
		t.Errorf("%q", body)
	}
	s.eventually("the old address is closed", func() bool {
		c, err := net.Dial("tcp", old)
		if err == nil {
			_ = c.Close()
		}
		return err != nil
	})
	c, err := net.Dial("unix", filepath.Join(s.dir, "sock"))
	if err != nil {
		t.Fatal(err)
	}
	u := &conn{c, t, bufio.NewReader(c)}
	if _, body := u.ask("/"); body != "unix" {
		t.Errorf("%q", body)
	}
	s.port = first
	s.rewrite(g, "three", "")
	s.signal(syscall.SIGHUP)
	s.eventually("back again", func() bool {
		c, err := net.Dial("tcp", s.address())
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	})
	s.eventually("the unix socket's path is gone", func() bool { _, err := os.Stat(filepath.Join(s.dir, "sock")); return err != nil })
}

// USR1 opens the logs again: what logrotate does.
func TestReopen(t *testing.T) {
	s, _ := gated(t)
	s.get("/text?before")
	s.eventually("the line", func() bool { return strings.Contains(s.read("access.log"), "/text?before") })
	for _, name := range []string{"access.log", "error.log"} {
		if err := os.Rename(filepath.Join(s.dir, name), filepath.Join(s.dir, name+".1")); err != nil {
			t.Fatal(err)
		}
	}
	s.signal(syscall.SIGUSR1)
	s.eventually("new files", func() bool {
		_, a := os.Stat(filepath.Join(s.dir, "access.log"))
		_, e := os.Stat(filepath.Join(s.dir, "error.log"))
		return a == nil && e == nil
	})
	s.get("/text?after")
	s.eventually("the line", func() bool { return strings.Contains(s.read("access.log"), "/text?after") })
	if old := s.read("access.log.1"); !strings.Contains(old, "/text?before") || strings.Contains(old, "/text?after") {
		t.Errorf("the old file:\n%s", old)
	}
	if !strings.Contains(s.read("error.log.1"), "reopening logs") {
		t.Errorf("the old error log:\n%s", s.read("error.log.1"))
	}
}

// -s finds the process by its pid file.
func TestCommand(t *testing.T) {
	s, _ := gated(t)
	tell := func(command string) (int, string) {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "NOLIVE_TEST_CONF="+s.conf(), "NOLIVE_TEST_SIGNAL="+command)
		out, _ := cmd.CombinedOutput()
		return cmd.ProcessState.ExitCode(), string(out)
	}
	if code, out := tell("reload"); code != 0 || out != "" {
		t.Errorf("reload: %d %s", code, out)
	}
	s.eventually("it reloads", func() bool { return strings.Contains(s.read("error.log"), "signal 1 (SIGHUP) received, reconfiguring") })
	if code, out := tell("nonsense"); code != 1 || out != "nolive: invalid option: \"-s nonsense\"\n" {
		t.Errorf("nonsense: %d %s", code, out)
	}
	if code, out := tell("stop"); code != 0 || out != "" {
		t.Errorf("stop: %d %s", code, out)
	}
	s.exits()
	if code, out := tell("stop"); code != 1 || out != "nolive: [error] open() \""+s.dir+"/pid\" failed (2: No such file or directory)\n" {
		t.Errorf("stop again: %d %s", code, out)
	}
}
