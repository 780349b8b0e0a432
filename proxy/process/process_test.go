package process

import (
	"net"
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
		if log := s.read("access.log") + s.read("error.log"); strings.Contains(log, "/gate") {
			t.Errorf("%v: the request is logged, as no worker of nginx would: %s", sig, log)
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
