package backends

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Who is refused is refused, also while some process is being started, which then has
// a copy of every descriptor.
func TestRefusesAlthoughACopyOfTheListenerIsOpen(t *testing.T) {
	dir, err := os.MkdirTemp("/tmp", "u") // a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for _, listen := range []string{"127.0.0.1:0", unixPrefix + filepath.Join(dir, "s")} {
		at, err := parsePlace(listen)
		if err != nil {
			t.Fatal(err)
		}
		g, err := at.reserve(0)
		if err != nil {
			t.Fatal(err)
		}
		defer g.close()
		if err := g.listen(); err != nil {
			t.Fatal(err)
		}
		network, address := "tcp", g.address()
		if path, ok := strings.CutPrefix(address, unixPrefix); ok {
			network, address = "unix", path
		}
		queued, err := net.DialTimeout(network, address, time.Second)
		if err != nil {
			t.Fatal(err)
		}
		defer queued.Close()
		copied := copyOf(t, g)
		defer copied.Close()
		g.refuse()
		if c, err := net.DialTimeout(network, address, time.Second); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("%s: %v, want it refused", network, err)
			if err == nil {
				c.Close()
			}
		}
	}
}

// copyOf is another descriptor of a gate's listener.
func copyOf(t *testing.T, g gate) *os.File {
	t.Helper()
	var f *os.File
	var err error
	switch g := g.(type) {
	case *socketFile:
		f, err = g.ln.File()
	case *port:
		f, err = g.ln.File()
	}
	if err != nil {
		t.Fatal(err)
	}
	return f
}
