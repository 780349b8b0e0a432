//go:build e2e

package wire

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"testing"
	"time"
)

// nginx 1.22 makes of the heads what their table says: it answers 502 to one that
// is invalid.
func TestHeadsAsNginx(t *testing.T) {
	const patience = 20 * time.Second
	back, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer back.Close()
	head := make(chan string, 1)
	go func() {
		for {
			c, err := back.Accept()
			if err != nil {
				return
			}
			_, _ = http.ReadRequest(bufio.NewReader(c))
			_, _ = c.Write([]byte(<-head + "1"))
			_ = c.Close()
		}
	}()
	front, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := front.Addr().String()
	_ = front.Close()
	dir := t.TempDir()
	conf := fmt.Sprintf("daemon off; master_process off; pid %s/pid; events {} http { access_log off; server { listen %s; location / { proxy_pass http://%s; } } }", dir, at, back.Addr())
	if err := os.WriteFile(dir+"/nginx.conf", []byte(conf), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("nginx", "-p", dir, "-e", dir+"/error.log", "-c", dir+"/nginx.conf")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		if b, err := os.ReadFile(dir + "/pid"); err == nil && len(b) > 0 {
			break
		}
		if time.Now().After(end) {
			t.Fatal("nginx doesn't start")
		}
	}
	for _, h := range heads {
		head <- h.head
		c, err := net.DialTimeout("tcp", at, patience)
		if err != nil {
			t.Fatal(err)
		}
		_ = c.SetDeadline(time.Now().Add(patience))
		_, _ = c.Write([]byte("GET / HTTP/1.0\r\n\r\n"))
		b := make([]byte, len("HTTP/1.1 502"))
		n, _ := c.Read(b)
		_ = c.Close()
		if bad := string(b[:n]) == "HTTP/1.1 502"; bad != (h.want["1.22"] == Invalid) {
			t.Errorf("%s: nginx begins its answer with %q", h.name, b[:n])
		}
	}
}
