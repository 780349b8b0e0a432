//go:build linux

package backends_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nolive/nolive/backends"
)

// A backend that runs out of descriptors says so at its end, with the limit; the
// connections wait in the kernel meanwhile.
func TestShortageOfDescriptorsIsTold(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "NOLIVE_TEST_SHORT=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		t.Fatal("it says nothing")
	}
	for range 60 {
		c, err := net.DialTimeout("tcp", lines.Text(), patience)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	lines.Scan() // full
	in.Close()
	if !lines.Scan() || !strings.HasPrefix(lines.Text(), "backend app1: no descriptor left for a connection: this process may have 40 (ulimit -n)") {
		t.Errorf("at the end it says %q", lines.Text())
	}
}

// short is the program of that test.
func short() {
	_ = syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: 40, Max: 40})
	s, err := backends.Start(backends.Options{Name: "app1"})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(s.Addr())
	// It has some descriptors for itself, so it is full before it has 40 connections.
	for before, same := -1, 0; same < 5; time.Sleep(50 * time.Millisecond) {
		n := s.Counts().Connections
		if same++; n < 20 || n != before {
			same = 0
		}
		before = n
	}
	fmt.Println("full")
	io.Copy(io.Discard, os.Stdin)
	fmt.Println(s.Close())
	os.Exit(0)
}
