//go:build linux

package backends_test

import (
	"bufio"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/nolive/nolive/backends"
	"github.com/nolive/nolive/backends/fault"
)

// mode is what a file is, "" for none.
func mode(t *testing.T, path string) string {
	t.Helper()
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return ""
	} else if err != nil {
		t.Fatal(err)
	}
	return info.Mode().String()
}

// The file of a unix socket is there as long as the backend is, whatever its door,
// and anybody may connect.
func TestSocketFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.sock")
	s := start(t, backends.Options{Listen: "unix:" + path, Rules: always(t, &fault.RefuseSpec{})})
	if s.Addr() != "unix:"+path {
		t.Errorf("it listens on %s", s.Addr())
	}
	if _, err := net.Dial("unix", path); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("while it refuses: %v", err)
	}
	for _, rules := range []fault.Rules{nil, always(t, &fault.RefuseSpec{}), nil} {
		replace(t, s, 0, rules)
		if got := mode(t, path); got != "Srw-rw-rw-" {
			t.Errorf("the file is %q", got)
		}
	}
	c := dial(t, s.Addr())
	send(t, c, get)
	if status, _ := answer(t, bufio.NewReader(c)); status != 200 {
		t.Errorf("got %d", status)
	}
	if _, err := s.Replace(backends.Change{Rules: always(t, &fault.BlackholeSpec{})}); err == nil || !strings.HasPrefix(err.Error(), "rule 1: blackhole: a connect to a unix socket") {
		t.Errorf("a black hole: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if got := mode(t, path); got != "" {
		t.Errorf("afterwards the file is %q", got)
	}
}

// A file that a killed program left is taken over; what somebody listens on, or is no
// socket, isn't touched.
func TestSocketFilesThatAreThereAlready(t *testing.T) {
	dir := t.TempDir()
	stale, busy, plain := filepath.Join(dir, "stale"), filepath.Join(dir, "busy"), filepath.Join(dir, "plain")
	ln, err := net.ListenUnix("unix", &net.UnixAddr{Name: stale, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	ln.SetUnlinkOnClose(false)
	ln.Close()
	first := start(t, backends.Options{Listen: "unix:" + busy, Backlog: 1})
	if err := os.WriteFile(plain, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	dial(t, start(t, backends.Options{Listen: "unix:" + stale}).Addr())
	for path, want := range map[string]error{busy: syscall.EADDRINUSE, plain: syscall.EEXIST, filepath.Join(dir, "none", "x"): fs.ErrNotExist} {
		if s, err := backends.Start(backends.Options{Name: "app1", Listen: "unix:" + path}); !errors.Is(err, want) || !strings.HasPrefix(err.Error(), "backend app1: listen on unix:"+path+": ") {
			t.Errorf("%s: got %v, want %v", path, err, want)
			if err == nil {
				s.Close()
			}
		}
	}
	// Also when it accepts nobody and its queue is full.
	replace(t, first, 0, always(t, &fault.FreezeSpec{}))
	for err := error(nil); err == nil; {
		var c client
		if c, err = connect(first.Addr(), patience); err == nil {
			defer c.Close()
		} else if !errors.Is(err, syscall.EAGAIN) {
			t.Fatal(err)
		}
	}
	if s, err := backends.Start(backends.Options{Listen: "unix:" + busy}); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("a full queue: %v", err)
		if err == nil {
			s.Close()
		}
	}
	if b, err := os.ReadFile(plain); string(b) != "mine" {
		t.Errorf("a file of somebody's: %q, %v", b, err)
	}
}

// A free name is in a folder of its own, which goes with it.
func TestFreeSocketNames(t *testing.T) {
	dir := t.TempDir()
	for _, listen := range []string{"unix:", "unix:" + dir + "/"} {
		t.Setenv("TMPDIR", dir)
		a, b := start(t, backends.Options{Listen: listen}), start(t, backends.Options{Listen: listen})
		if a.Addr() == b.Addr() || !strings.HasPrefix(a.Addr(), "unix:"+dir+"/") {
			t.Errorf("%s: at %s and %s", listen, a.Addr(), b.Addr())
		}
		a.Close()
		b.Close()
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%s: left %v, %v", listen, left, err)
		}
	}
	long := filepath.Join(dir, strings.Repeat("l", 90))
	if err := os.Mkdir(long, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", long)
	for listen, want := range map[string]string{
		"unix:":                             "/b.sock: file name too long for a unix socket, which may have 106 bytes; TMPDIR says where it is to be",
		"unix:app.sock":                     `listen: "app.sock" is no absolute path`,
		"unix:/" + strings.Repeat("x", 110): "has 111 bytes, a unix socket's path has 106 at most",
	} {
		if _, err := backends.Start(backends.Options{Listen: listen}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", listen, err)
		}
	}
}

// A full accept queue says so at once, and those that have left still take up room.
func TestFullSocketQueue(t *testing.T) {
	s := start(t, backends.Options{Listen: "unix:", Backlog: 2, Rules: always(t, &fault.FreezeSpec{})})
	for range 3 {
		dial(t, s.Addr()).Close()
	}
	for range 3 {
		if c, err := connect(s.Addr(), patience); !errors.Is(err, syscall.EAGAIN) {
			t.Errorf("got %v, want EAGAIN", err)
			if err == nil {
				c.Close()
			}
		}
	}
	replace(t, s, 0, nil)
	c := dial(t, s.Addr())
	send(t, c, get)
	answer(t, bufio.NewReader(c))
}
