//go:build e2e

package nginxconf

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// runNginx starts nginx on a configuration and returns the address of its
// first listen. Every backend is an echo of the request target.
func runNginx(t *testing.T, text string) string {
	t.Helper()
	tree, ps := Parse("x.conf", []byte(text), nil)
	cfg, more := Interpret(tree)
	if ps = append(ps, more...); len(ps) > 0 {
		t.Fatal(ps)
	}
	dir := t.TempDir()
	o := RenderOptions{Dir: dir, Backends: map[string]string{}, Listens: map[string]string{}, Main: Section{Text: "daemon off; master_process off; pid " + dir + "/pid;"}}
	for _, n := range cfg.Backends {
		o.Backends[n] = echo(t)
	}
	for _, n := range tree.Listens() {
		o.Listens[n] = freeAddress(t)
	}
	r, err := Render(tree, o)
	if err != nil {
		t.Fatal(err)
	}
	if m := nginxTest(t, dir, r.Text); m != "" {
		t.Fatal(m)
	}
	cmd := exec.Command("nginx", "-p", dir, "-e", filepath.Join(dir, "start.log"), "-c", filepath.Join(dir, "nginx.conf"))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	at := o.Listens[tree.Listens()[0]]
	for deadline := time.Now().Add(5 * time.Second); ; {
		c, err := net.Dial("tcp", at)
		if err == nil {
			c.Close()
			return at
		}
		if time.Now().After(deadline) {
			t.Fatal("nginx doesn't accept: ", err)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func freeAddress(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func echo(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			line, _ := bufio.NewReader(c).ReadString('\n')
			target := strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(line), "GET "), " HTTP/1.0")
			fmt.Fprintf(c, "HTTP/1.0 299 Echo\r\nContent-Length: %d\r\n\r\n%s", len(target), target)
			c.Close()
		}
	}()
	return l.Addr().String()
}

// get sends a request target as it is, and returns the status and the body, or
// the Location without its host.
func get(t *testing.T, at, target string) (int, string) {
	t.Helper()
	c, err := net.Dial("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(5 * time.Second))
	fmt.Fprintf(c, "GET %s HTTP/1.0\r\n\r\n", target)
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatalf("%s: %v", target, err)
	}
	body, _ := io.ReadAll(resp.Body)
	if l := resp.Header.Get("Location"); l != "" {
		_, l, _ = strings.Cut(l, "://")
		return resp.StatusCode, l[strings.IndexByte(l, '/'):]
	}
	return resp.StatusCode, string(body)
}

// Real nginx takes the same locations.
func TestRouteAsNginx(t *testing.T) {
	at := runNginx(t, routes)
	for _, r := range routeTargets {
		status, body := get(t, at, r.target)
		got := fmt.Sprintf("%d %s", status, body)
		switch {
		case status == 299:
			got = "pass"
		case status >= 400:
			got = fmt.Sprint(status)
		}
		if got != r.want {
			t.Errorf("%s: nginx answers %s, the table says %s", r.target, got, r.want)
		}
	}
}

// And sends the same targets to the backend.
func TestUpstreamURIAsNginx(t *testing.T) {
	for _, u := range uris {
		at := runNginx(t, fmt.Sprintf("server { listen 80; location %s { proxy_pass http://app1%s; } }", u.location, u.pass))
		if status, body := get(t, at, u.target); status != 299 || body != u.want {
			t.Errorf("%+v: nginx sends %q (%d)", u, body, status)
		}
	}
}
