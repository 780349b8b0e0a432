//go:build linux

package cli_test

import (
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// Whatever ends the command, the file of a unix socket goes with it, and so does
// what would remove it.
func TestSocketFilesGoWithTheCommand(t *testing.T) {
	for _, how := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGKILL} {
		dir := t.TempDir()
		path := filepath.Join(dir, "app.sock")
		s := startBackend(t, "--listen", "unix:"+path, "--backlog", "4", "--do", "freeze")
		if said := s.until(t, "^Ctrl-C ends it$"); said[0] != "unix:"+path+" serves" {
			t.Errorf("it says %q", said)
		}
		c, err := net.Dial("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.cmd.Process.Signal(how); err != nil {
			t.Fatal(err)
		}
		for range s.lines {
		}
		_ = s.cmd.Wait()
		c.Close()
		end := time.Now().Add(20 * time.Second)
		for left := []os.DirEntry{nil}; len(left) > 0; time.Sleep(time.Millisecond) {
			if left, err = os.ReadDir(dir); err != nil {
				t.Fatal(err)
			}
			if time.Now().After(end) {
				t.Fatalf("%v: left %v", how, left)
			}
		}
	}
}
