//go:build linux

package cli_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A run that would last for minutes is over within two seconds of Ctrl-C, tells
// what it saw, and leaves nothing behind.
func TestInterrupt(t *testing.T) {
	dir, tmp := t.TempDir(), t.TempDir()
	// At speed 1 the first request hangs for a minute, and the one on the
	// simulator is done long before.
	cmd := exec.Command("nolive", "run", "frozen-backend-curl-loop", "one-of-two-refuses", "--engine", "sim,reference",
		"--speed", "1", "--parallel", "1", "--json", filepath.Join(dir, "out.json"), "--events", filepath.Join(dir, "out.jsonl"))
	cmd.Env = append(os.Environ(), "TMPDIR="+tmp)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })

	listening := underWay(t, cmd.Process.Pid)
	late := lateness()
	began := time.Now()
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	err := cmd.Wait()
	took := time.Since(began)
	if limit := 2*time.Second + late(); took > limit {
		t.Errorf("took %v, the limit is %v", took, limit)
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 3 {
		t.Errorf("%v, want exit status 3", err)
	}
	for _, want := range []string{
		"PASS frozen-backend-curl-loop on sim as nginx ",
		"INTERRUPTED frozen-backend-curl-loop on reference as nginx ",
		"  ?    status: {of: curl, is: 200, count: 36}\n",
		"  10.10.10.215:8000  ▒",
		"\n2 of 4 runs proved nothing: interrupted\n  interrupted: frozen-backend-curl-loop on reference, one-of-two-refuses on reference\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("missing: %q", want)
		}
	}
	if errs.Len() > 0 {
		t.Errorf("stderr: %s", errs.String())
	}
	if t.Failed() {
		t.Logf("%s", out.String())
	}
	stored(t, dir)

	if left, _ := os.ReadDir(tmp); len(left) > 0 {
		t.Errorf("left in the temporary folder: %v", left)
	}
	if err := syscall.Kill(-cmd.Process.Pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("a process is left: %v", err)
	}
	for inode, port := range sockets(t) {
		if listening[inode] {
			t.Errorf("something still listens on port %d", port)
		}
	}
}

// stored fails unless the files for machines are whole too.
func stored(t *testing.T, dir string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "out.json"))
	var doc struct {
		OK   bool
		Runs []struct {
			Engine, Invalid, Error string
			Valid                  bool
			Traffic                []struct{ Statuses map[string]int }
		}
	}
	if err != nil || json.Unmarshal(text, &doc) != nil || doc.OK || len(doc.Runs) != 4 {
		t.Fatalf("%v: %s", err, text)
	}
	if r := doc.Runs[1]; r.Valid || r.Invalid != "interrupted" || len(r.Traffic) != 1 || r.Traffic[0].Statuses["unfinished"] != 1 {
		t.Errorf("the interrupted run: %+v", r)
	}
	if r := doc.Runs[3]; r.Error != "interrupted before it began" {
		t.Errorf("the run that never began: %+v", r)
	}
	if out, err := exec.Command("nolive", "replay", filepath.Join(dir, "out.jsonl")).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// underWay waits until the process has all its listeners and a request is on a
// backend, and returns the inodes of the listeners.
func underWay(t *testing.T, pid int) map[string]bool {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		mine := map[string]bool{}
		open := 0
		all := sockets(t)
		fds, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
		if err != nil {
			t.Fatal(err)
		}
		for _, fd := range fds {
			link, _ := os.Readlink(fd)
			inode, isSocket := strings.CutPrefix(link, "socket:[")
			inode = strings.TrimSuffix(inode, "]")
			if _, listens := all[inode]; listens {
				mine[inode] = true
			} else if isSocket {
				open++
			}
		}
		// Three backends and the proxy; two ends each of the client's connection
		// and of the proxy's.
		if len(mine) >= 4 && open >= 4 {
			return mine
		}
	}
	t.Fatal("the run didn't begin within a minute")
	return nil
}

// sockets are all listening IPv4 sockets of the machine: port by inode.
func sockets(t *testing.T) map[string]int {
	t.Helper()
	f, err := os.Open("/proc/net/tcp")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	out := map[string]int{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) < 10 || fields[3] != "0A" {
			continue
		}
		var port int
		if _, address, ok := strings.Cut(fields[1], ":"); ok {
			fmt.Sscanf(address, "%x", &port)
		}
		out[fields[9]] = port
	}
	return out
}

// lateness measures until it is called how late the machine wakes a sleeper up.
func lateness() func() time.Duration {
	stop, worst := make(chan struct{}), make(chan time.Duration)
	go func() {
		late := time.Duration(0)
		for {
			at := time.Now()
			select {
			case <-stop:
				worst <- late
				return
			case <-time.After(10 * time.Millisecond):
				late = max(late, time.Since(at)-10*time.Millisecond)
			}
		}
	}()
	return func() time.Duration { close(stop); return <-worst }
}
