//go:build linux

package reference

import (
	"net"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/nolive/nolive/proxy/nginxconf"
	"github.com/nolive/nolive/proxy/upstream"
)

// hungMemory is what 5,000 requests to backends that never answer may take.
const hungMemory = 200 << 20

// A crowd of hung requests doesn't take the machine's memory with it. Clients and
// backends are bare sockets without a goroutine, so what grows is the proxy.
func TestHungRequestsFitInMemory(t *testing.T) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	n := min(5000, (int(limit.Cur)-500)/3)
	var addresses []string
	for range n/1000 + 1 { // a queue of connections holds 4096 by default
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer ln.Close()
		addresses = append(addresses, ln.Addr().String())
	}
	s := start(t, addresses, func(u *upstream.Config, p *nginxconf.Pass) { p.ReadTimeout = time.Hour })
	before := inUse()
	address, err := net.ResolveTCPAddr("tcp", s.Address(""))
	if err != nil {
		t.Fatal(err)
	}
	request := []byte("GET / HTTP/1.1\r\nHost: a\r\nX-Nolive-Request: t/1\r\n\r\n")
	for i := range n {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer unix.Close(fd)
		to := unix.SockaddrInet4{Port: address.Port, Addr: [4]byte{127, 0, 0, 1}}
		if err := unix.Connect(fd, &to); err != nil {
			t.Fatalf("client %d: %v", i, err)
		}
		if _, err := unix.Write(fd, request); err != nil {
			t.Fatalf("client %d: %v", i, err)
		}
	}
	for until := time.Now().Add(20 * time.Second); s.log.count() < n; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("%d of %d requests reached a backend", s.log.count(), n)
		}
	}
	used := inUse() - before
	t.Logf("%d hung requests take %d MiB, %d KiB each", n, used>>20, used/int64(n)>>10)
	if used > hungMemory*int64(n)/5000 {
		t.Errorf("%s hung requests take %d MiB", strconv.Itoa(n), used>>20)
	}
}

// inUse is what the runtime has in use after a collection, stacks included.
func inUse() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse + m.StackInuse)
}
