package process

import (
	"bufio"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

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
