package container

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/moby/moby/api/types/container"

	"github.com/nolive/nolive/proxy/nginx"
)

func TestParseNetwork(t *testing.T) {
	for text, want := range map[string]Network{"": Auto, "auto": Auto, "host": Host, "bridge": Bridge} {
		if got, err := ParseNetwork(text); got != want || err != nil {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
	if _, err := ParseNetwork("none"); err == nil || err.Error() != `want host, bridge or auto, got "none"` {
		t.Error(err)
	}
}

func TestHostsEntry(t *testing.T) {
	const text = "127.0.0.1\tlocalhost\n::1 localhost\nfe80::1 host.docker.internal\n172.17.0.1\tother host.docker.internal\n"
	if got, err := hostsEntry(strings.NewReader(text), gatewayName); got != "172.17.0.1" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := hostsEntry(strings.NewReader("127.0.0.1 host.docker.internal.example\n"), gatewayName); err == nil {
		t.Errorf("%q", got)
	}
	if !ours("127.0.0.1") || ours("192.0.2.1") {
		t.Error("which addresses are ours")
	}
}

func TestLocal(t *testing.T) {
	for host, want := range map[string]bool{
		"unix:///var/run/docker.sock": true, "tcp://127.0.0.1:2375": true, "tcp://localhost:2375": true,
		"tcp://192.0.2.1:2375": false, "ssh://me@build.example": false,
	} {
		if local(host) != want {
			t.Errorf("%s: %v", host, !want)
		}
	}
}

// Nobody else gets a held port, but nginx, which sets SO_REUSEADDR, listens on it.
func TestHold(t *testing.T) {
	h, err := hold(3)
	if err != nil {
		t.Fatal(err)
	}
	defer h.release()
	for _, a := range h.addresses {
		if c, err := net.Dial("tcp", a); err == nil {
			c.Close()
			t.Errorf("%s listens already", a)
		}
		l, err := net.Listen("tcp", a) // Go sets SO_REUSEADDR too
		if err != nil {
			t.Fatal(err)
		}
		l.Close()
	}
	address, err := net.ResolveTCPAddr("tcp", h.addresses[0])
	if err != nil {
		t.Fatal(err)
	}
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(fd)
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}, Port: address.Port}); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("bound a held port: %v", err)
	}
}

// Where containers would weigh as much as one process all together, each weighs more
// by itself; elsewhere the system's own rules stand.
func TestWeigh(t *testing.T) {
	for cgroupfs, want := range map[bool]container.Resources{true: {CgroupParent: "/", CPUShares: shares}, false: {}} {
		var r container.Resources
		if (&engine{cgroupfs: cgroupfs}).weigh(&r); r.CgroupParent != want.CgroupParent || r.CPUShares != want.CPUShares {
			t.Errorf("cgroupfs %v: %+v", cgroupfs, r)
		}
	}
}

// A lock is given up by the kernel when its owner dies, and never before.
func TestGone(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	o, err := newOwner("x")
	if err != nil {
		t.Fatal(err)
	}
	lock := o.lock.Name()
	if gone(lock) {
		t.Error("taken from a living owner")
	}
	// A child doesn't inherit it.
	cmd := exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	o.lock.Close()
	if !gone(lock) {
		t.Error("nobody holds it, but it isn't abandoned")
	}
	o.lock = nil
	if err := o.close(); err != nil || !gone(lock) {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(filepath.Dir(lock)); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// Without an engine the error names the address and the way out.
func TestNoEngine(t *testing.T) {
	var p Pool
	defer p.Close()
	t.Setenv("DOCKER_HOST", "unix://"+filepath.Join(t.TempDir(), "docker.sock"))
	_, err := p.Image("nginx", Auto).Look(t.Context())
	var e *EngineError
	if !errors.As(err, &e) || !strings.HasSuffix(err.Error(), "docker.sock: no such file or directory: start it, or correct DOCKER_HOST") {
		t.Errorf("%T: %v", err, err)
	}
	if p.Has(t.Context(), "nginx") {
		t.Error("an image without an engine")
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if _, err := p.Image("another", Auto).Look(t.Context()); !errors.Is(err, errClosed) {
		t.Error(err)
	}
	var host nginx.Host = p.Image("nginx", Auto)
	if host != nginx.Host(p.Image("nginx", Auto)) {
		t.Error("two images of one name")
	}
}
