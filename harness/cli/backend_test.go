//go:build linux

package cli_test

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nolive/nolive/backends/client"
)

// serving is a nolive backend that runs.
type serving struct {
	cmd   *exec.Cmd
	lines chan string // of its output, closed at its end
	errs  *strings.Builder
}

func startBackend(t *testing.T, args ...string) *serving {
	t.Helper()
	s := &serving{cmd: exec.Command("nolive", append([]string{"backend"}, args...)...), lines: make(chan string, 100), errs: &strings.Builder{}}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.cmd.Stderr = s.errs
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.cmd.Process.Kill() })
	go func() {
		defer close(s.lines)
		for in := bufio.NewScanner(out); in.Scan(); {
			s.lines <- in.Text()
		}
	}()
	return s
}

// until reads lines up to one that matches, and returns them all.
func (s *serving) until(t *testing.T, pattern string) (all []string) {
	t.Helper()
	re, late := regexp.MustCompile(pattern), time.After(30*time.Second)
	for {
		select {
		case line, ok := <-s.lines:
			if !ok {
				t.Fatalf("no %q in %q; stderr: %s", pattern, all, s.errs)
			}
			if all = append(all, line); re.MatchString(line) {
				return all
			}
		case <-late:
			t.Fatalf("no %q in %q", pattern, all)
		}
	}
}

func TestBackendCommand(t *testing.T) {
	file := filepath.Join(t.TempDir(), "b.yaml")
	text := "backends:\n  127.0.0.1:0:\n    - when: {path: /x}\n      do: {status: 503}\n  app2:\n    listen: 127.0.0.1:0\n    rules: [{do: {wait: 5ms}}]\n"
	if err := os.WriteFile(file, []byte(strings.Replace(text, "{wait: 5ms}", "{respond: {after: 5ms}}", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	s := startBackend(t, "-f", file, "--admin", "0", "--seed", "5")
	said := strings.Join(s.until(t, "^Ctrl-C ends it$"), "\n")
	m := regexp.MustCompile(`(?s)^127.0.0.1:0 on (127\.0\.0\.1:\d+) serves
  - when: {path: /x}
    do: {status: 503}
app2 on (127\.0\.0\.1:\d+) serves
  .*respond: {after: 5ms}.*
admin API: (http://127\.0\.0\.1:\d+)/backends
Ctrl-C ends it$`).FindStringSubmatch(said)
	if m == nil {
		t.Fatalf("it says\n%s", said)
	}
	get := func(url string) int {
		res, err := http.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		io.Copy(io.Discard, res.Body)
		return res.StatusCode
	}
	if a, b, c := get("http://"+m[1]+"/x"), get("http://"+m[1]+"/"), get("http://"+m[2]+"/x"); a != 503 || b != 200 || c != 200 {
		t.Errorf("got %d, %d and %d", a, b, c)
	}
	if list, err := client.New(m[3]).List(t.Context()); err != nil || len(list) != 2 || list[0].Used[0] != 1 {
		t.Errorf("got %+v, %v", list, err)
	}
	// A connection that hangs doesn't keep it, nor does one to the API.
	if _, err := client.New(m[3]).Replace(t.Context(), "app2", "- do: hang", 0); err != nil {
		t.Fatal(err)
	}
	go http.Get("http://" + m[2] + "/hangs")
	go func() {
		for range client.New(m[3]).Log(t.Context(), "app2", 1) {
		}
	}()
	time.Sleep(50 * time.Millisecond)
	late := lateness()
	began := time.Now()
	if err := s.cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	rest := strings.Join(s.until(t, "^waits were late by"), "\n")
	for range s.lines {
	}
	if err := s.cmd.Wait(); err != nil || s.errs.Len() > 0 {
		t.Errorf("%v; stderr: %s", err, s.errs)
	}
	if took, limit := time.Since(began), time.Second+late(); took > limit {
		t.Errorf("it took %v to end, the limit is %v", took, limit)
	}
	if !regexp.MustCompile(`(?m)^127.0.0.1:0: \d connections, 2 requests$`).MatchString(rest) {
		t.Errorf("at the end it says\n%s", rest)
	}
}
