//go:build e2e

package process

import (
	"io"
	"net"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// ask sends a request and reads until the proxy closes.
func ask(t *testing.T, address, raw string) {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(patience))
	raw, abort := strings.CutPrefix(raw, "ABORT")
	if _, err := io.WriteString(c, raw); err != nil {
		t.Fatal(err)
	}
	if abort {
		time.Sleep(300 * time.Millisecond)
		_ = c.Close()
		time.Sleep(100 * time.Millisecond) // lets the proxy notice before the next
		return
	}
	if !strings.HasSuffix(raw, "\r\n\r\n") && !strings.HasSuffix(raw, "hello") {
		_ = c.(*net.TCPConn).CloseWrite()
	}
	_, _ = io.Copy(io.Discard, c)
	// The line is written after the last byte.
	time.Sleep(20 * time.Millisecond)
}

func await(t *testing.T, what string, cond func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !cond(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

func startNginx(t *testing.T, conf, dir string) func() {
	return startProcess(t, exec.Command("nginx", "-p", dir, "-c", conf, "-e", dir+"/error.log", "-g", "daemon off; master_process off;"))
}

// watchLateness measures how late timers are until it is asked.
func watchLateness(t *testing.T) func() time.Duration {
	var worst atomic.Int64
	stop := make(chan struct{})
	t.Cleanup(func() { close(stop) })
	go func() {
		for {
			began := time.Now()
			select {
			case <-stop:
				return
			case <-time.After(5 * time.Millisecond):
			}
			if late := int64(time.Since(began) - 5*time.Millisecond); late > worst.Load() {
				worst.Store(late)
			}
		}
	}()
	return func() time.Duration { return time.Duration(worst.Load()) }
}
