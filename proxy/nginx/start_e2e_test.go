//go:build e2e

package nginx

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nolive/nolive/harness/clock"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/nginxconf"
)

const plain = "upstream u { server a; server b; }\nserver { location / { proxy_pass http://u; } }\n"

func plainBackends(t *testing.T) map[string]string {
	return map[string]string{"a": backend(t, answer(ok)), "b": backend(t, answer(ok))}
}

// script is an executable shell script.
func script(t *testing.T, text string) string {
	t.Helper()
	f := filepath.Join(t.TempDir(), "nginx")
	if err := os.WriteFile(f, []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return f
}

// leftovers are our folders in a temporary directory of the test's own.
func leftovers(t *testing.T) func() []string {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	return func() []string {
		m, _ := filepath.Glob(filepath.Join(dir, "nolive-*"))
		return m
	}
}

// nginx accepts the parameters of a directive that our parser doesn't check;
// its refusal names the line of the user's file.
func TestRejectedConfiguration(t *testing.T) {
	left := leftovers(t)
	conf := "upstream u { server a; }\nserver {\n  gzip_comp_level 99;\n  location / { proxy_pass http://u; }\n}\n"
	_, err := Start(t.Context(), Options{Config: parse(t, conf), Backends: plainBackends(t)})
	var e *ConfigError
	if !errors.As(err, &e) {
		t.Fatalf("%T: %v", err, err)
	}
	if want := `test.conf:3:3: nginx rejects the configuration: value must be between 1 and 9`; !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), os.TempDir()) {
		t.Errorf("%q, want %q", err, want)
	}
	if l := left(); len(l) > 0 {
		t.Errorf("left behind: %v", l)
	}
}

func TestNginxThatCannotRun(t *testing.T) {
	notExecutable := filepath.Join(t.TempDir(), "nginx")
	if err := os.WriteFile(notExecutable, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	real, err := exec.LookPath("nginx")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ binary, want string }{
		"missing":        {"/no/such/nginx", "nginx binary /no/such/nginx: no such file or directory"},
		"not executable": {notExecutable, "nginx binary " + notExecutable + ": permission denied"},
		"not nginx":      {script(t, "echo hello"), "its -V names no version: is it an nginx?"},
		"exits at once":  {script(t, `[ "$1" = -V ] && exec `+real+` -V; echo out of luck >&2; exit 3`), "nginx ended during the start: exit status 3: out of luck"},
		"killed":         {script(t, `[ "$1" = -V ] && exec `+real+` -V; kill -9 $$`), "nginx ended during the start: signal: killed"},
	} {
		t.Run(name, func(t *testing.T) {
			left := leftovers(t)
			_, err := Start(t.Context(), Options{Config: parse(t, plain), Backends: plainBackends(t), Binary: c.binary})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
			if l := left(); len(l) > 0 {
				t.Errorf("left behind: %v", l)
			}
		})
	}
	t.Run("not on PATH", func(t *testing.T) {
		t.Setenv("PATH", t.TempDir())
		_, err := Start(t.Context(), Options{Config: parse(t, plain)})
		if err == nil || !strings.HasPrefix(err.Error(), "nginx not found on PATH: install it (Debian: apt-get install nginx faketime) or build the image") {
			t.Error(err)
		}
	})
}

// A nginx that doesn't take our sockets finds its port in use and gets others.
func TestPortInUse(t *testing.T) {
	real, err := exec.LookPath("nginx")
	if err != nil {
		t.Fatal(err)
	}
	// The first start finds our own sockets in the way.
	begun := filepath.Join(t.TempDir(), "starts")
	b := script(t, `[ "$1" = -V ] && exec `+real+` -V
echo x >> `+begun+`
unset NGINX
exec `+real+` "$@"`)
	p, err := Start(t.Context(), Options{Config: parse(t, plain), Backends: plainBackends(t), Binary: b})
	if err != nil {
		t.Fatal(err)
	}
	if s := get(client(), p.Address(""), "/", "t/1"); s != 200 {
		t.Errorf("status %d", s)
	}
	stop(t, p)
	if n := lines(t, begun); n < 2 {
		t.Errorf("%d starts: the port was not in use", n)
	}
}

// An end to the tries, and a message that says what was wrong.
func TestNoPort(t *testing.T) {
	b := script(t, `[ "$1" = -V ] && { echo nginx version: nginx/1.22.1 >&2; exit 0; }
echo 'nginx: [emerg] bind() to 127.0.0.1:80 failed (98: Address already in use)' >&2; exit 1`)
	_, err := Start(t.Context(), Options{Config: parse(t, plain), Backends: plainBackends(t), Binary: b})
	var e *PortError
	if !errors.As(err, &e) || !strings.Contains(err.Error(), "no free port for nginx: bind() to 127.0.0.1:80 failed") {
		t.Errorf("%T: %v", err, err)
	}
}

func TestPrefix(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := Start(t.Context(), Options{Config: parse(t, plain), Backends: plainBackends(t), Dir: filepath.Join(file, "sub")})
	var e *PrefixError
	if !errors.As(err, &e) || !strings.Contains(err.Error(), "not a directory") {
		t.Errorf("%T: %v", err, err)
	}

	// A folder of the caller's stays, with everything in it.
	dir := filepath.Join(t.TempDir(), `odd "name"; $x {`)
	p, err := Start(t.Context(), Options{Config: parse(t, plain), Backends: plainBackends(t), Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	get(client(), p.Address(""), "/", "t/1")
	stop(t, p)
	if lines(t, filepath.Join(dir, accessFile)) != 1 {
		t.Error("the access log is gone")
	}
}

// A folder that can't be written to is an error of its own. The superuser may
// write everywhere, so this one is on a file system that is read-only for all.
func TestPrefixNotWritable(t *testing.T) {
	dir := "/proc/self/fdinfo"
	if os.Geteuid() != 0 {
		dir = t.TempDir()
		os.Chmod(dir, 0o555)
	}
	_, err := Start(t.Context(), Options{Config: parse(t, plain), Backends: plainBackends(t), Dir: dir})
	var e *PrefixError
	if !errors.As(err, &e) || e.Dir != dir {
		t.Errorf("%T: %v", err, err)
	}
}

func TestFaketimeMissing(t *testing.T) {
	t.Setenv("NOLIVE_FAKETIME", "/no/such/lib")
	_, err := Start(t.Context(), Options{Config: parse(t, plain), Clock: clock.New(30)})
	var e *FaketimeError
	if !errors.As(err, &e) || e.Speed != 30 {
		t.Errorf("%T: %v", err, err)
	}

	// A library that does nothing is noticed, before a run is wasted on it.
	real, err := exec.LookPath("nginx")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("NOLIVE_FAKETIME", "")
	b := script(t, `unset LD_PRELOAD; exec `+real+` "$@"`)
	_, err = Start(t.Context(), Options{Config: parse(t, plain), Backends: plainBackends(t), Clock: clock.New(30), Binary: b})
	if !errors.As(err, &e) || !strings.Contains(err.Error(), "nginx doesn't load it") {
		t.Errorf("%T: %v", err, err)
	}
}

// Close ends the master and the workers, frees the ports and removes the folder.
func TestCloseLeavesNothing(t *testing.T) {
	left := leftovers(t)
	p, err := Start(t.Context(), Options{Config: parse(t, "worker_processes 4;\n"+plain), Backends: plainBackends(t), Clock: clock.New(30)})
	if err != nil {
		t.Fatal(err)
	}
	// The first worker answers while the others are still being made.
	eventually(t, func() bool { return len(members(master(p))) == 5 })
	address := p.Address("")
	stop(t, p)
	stop(t, p) // again is fine
	if g := members(master(p)); len(g) > 0 {
		t.Errorf("still running: %v", g)
	}
	if c, err := net.Dial("tcp", address); err == nil {
		c.Close()
		t.Error("the port is still open")
	}
	if l := left(); len(l) > 0 {
		t.Errorf("left behind: %v", l)
	}
	if m, _ := filepath.Glob("/dev/shm/*faketime_*_" + itoa(master(p))); len(m) > 0 {
		t.Errorf("left behind: %v", m)
	}
}

// A master that was killed doesn't take its workers along; we do.
func TestKilledMaster(t *testing.T) {
	p, err := Start(t.Context(), Options{Config: parse(t, "worker_processes 2;\n"+plain), Backends: plainBackends(t), Clock: clock.New(30)})
	if err != nil {
		t.Fatal(err)
	}
	syscall.Kill(master(p), syscall.SIGKILL)
	err = p.Close() // whether or not it has noticed yet
	if m := members(master(p)); len(m) > 0 {
		t.Errorf("still running: %v", m)
	}
	var e *ExitError
	if !errors.As(err, &e) || e.During != "run" || !strings.Contains(err.Error(), "killed") {
		t.Errorf("%T: %v", err, err)
	}
	if m, _ := filepath.Glob("/dev/shm/*faketime_*_" + itoa(master(p))); len(m) > 0 {
		t.Errorf("left behind: %v", m)
	}
}

// A worker that stands still can't keep Close from ending.
func TestStoppedWorker(t *testing.T) {
	p, err := Start(t.Context(), Options{Config: parse(t, plain), Backends: plainBackends(t)})
	if err != nil {
		t.Fatal(err)
	}
	for _, pid := range members(master(p)) {
		if pid != master(p) {
			syscall.Kill(pid, syscall.SIGSTOP)
		}
	}
	began := time.Now()
	p.Close()
	if d := time.Since(began); d > 6*time.Second {
		t.Errorf("close took %v", d)
	}
	if g := members(master(p)); len(g) > 0 {
		t.Errorf("still running: %v", g)
	}
}

// A worker that crashes is nginx's own trouble, and is said.
func TestCrashedWorker(t *testing.T) {
	p, sink, _ := run(t, 1, plain, plainBackends(t))
	for _, pid := range members(master(p)) {
		if pid != master(p) {
			syscall.Kill(pid, syscall.SIGSEGV)
		}
	}
	eventually(t, func() bool { return lines(t, p.prefix.file(errorFile)) > 1 })
	stop(t, p)
	if a := p.Alerts(); len(a) == 0 || !strings.Contains(a[0], "exited on signal 11") {
		t.Errorf("alerts: %q", a)
	}
	var said bool
	for _, e := range sink.kind(event.Logged) {
		said = said || strings.Contains(e.Detail, "exited on signal 11")
	}
	if !said {
		t.Errorf("logged: %+v", sink.kind(event.Logged))
	}
}

// No nginx outlives a harness that is killed, although nobody is left to end it.
func TestHarnessDies(t *testing.T) {
	if os.Getenv("NOLIVE_TEST_DIE") != "" {
		tree, _ := nginxconf.Parse("test.conf", []byte("worker_processes 2;\n"+plain), nil)
		c, _ := nginxconf.Interpret(tree)
		p, err := Start(t.Context(), Options{Config: c, Clock: clock.New(30), Backends: map[string]string{"a": "127.0.0.1:9", "b": "127.0.0.1:9"}})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println("master", master(p))
		os.Stdout.Sync()
		// Every thread that isn't held ends, which must not end nginx.
		var held, over sync.WaitGroup
		for range 64 {
			held.Add(1)
			over.Go(func() {
				runtime.LockOSThread() // and never unlock: the thread goes too
				held.Done()
				held.Wait()
			})
		}
		over.Wait()
		time.Sleep(300 * time.Millisecond) // nginx would need a moment to go
		fmt.Println("alive", len(members(master(p))))
		select {}
	}
	cmd := exec.Command(os.Args[0], "-test.run", "^TestHarnessDies$")
	cmd.Env = append(os.Environ(), "NOLIVE_TEST_DIE=1", "TMPDIR="+t.TempDir())
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	var master, alive int
	for s := bufio.NewScanner(out); alive == 0 && s.Scan(); {
		fmt.Sscanf(s.Text(), "master %d", &master)
		fmt.Sscanf(s.Text(), "alive %d", &alive)
	}
	if master == 0 || alive != 3 {
		t.Fatalf("master %d, %d processes", master, alive)
	}
	cmd.Process.Kill()
	eventually(t, func() bool { return len(members(master)) == 0 })
	syscall.Kill(-master, syscall.SIGKILL)
}

// What a configuration needs in production and doesn't have here is no obstacle.
func TestProductionConfiguration(t *testing.T) {
	conf := `
user www-data-that-is-not-here;
worker_processes auto;
pid /run/no/such/nginx.pid;
error_log /var/log/no/such/error.log crit;
events { worker_connections 1024; }
http {
  access_log off;
  limit_req_zone $binary_remote_addr zone=z:1m rate=1r/m;
  limit_req zone=z;
  deny all;
  keepalive_timeout 0;
  upstream u { server a; server b; }
  server {
    listen 80 default_server; listen [::]:80;
    server_name one;
    access_log /var/log/no/such/access.log;
    error_log /var/log/no/such/one.log;
    location / { allow all; proxy_pass http://u; }
  }
}`
	p, sink, _ := run(t, 1, conf, map[string]string{"a": refusing(t), "b": backend(t, answer(ok))})
	if p.Address("80") == p.Address("[::]:80") || p.Address("*:80") != p.Address("80") || p.Address("81") != "" {
		t.Errorf("addresses %v", p.listens)
	}
	if s := get(client(), p.Address("80"), "/", "t/1"); s != 200 {
		t.Errorf("status %d", s)
	}
	stop(t, p)
	if got, want := story(sink.events, "t/1"), "a@u=refused/502 mark b@u=passed/200 200"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if v := p.Version(); !strings.Contains(v, ".") {
		t.Errorf("version %q", v)
	}
}
