package backends_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nolive/nolive/backends"
	"github.com/nolive/nolive/backends/fault"
)

// BenchmarkHealthy compares a healthy backend with net/http's server: requests
// on kept connections, and on a new connection each.
func BenchmarkHealthy(b *testing.B) {
	for _, size := range []int{3, 16 << 10} {
		body := make([]byte, size)
		for i := range body {
			body[i] = 'x'
		}
		ours := start(b, backends.Options{Rules: always(b, &fault.RespondSpec{Body: string(body)})})
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			b.Fatal(err)
		}
		theirs := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write(body) })}
		go theirs.Serve(ln)
		b.Cleanup(func() { theirs.Close() })
		for _, s := range []struct{ name, addr string }{{"backend", ours.Addr()}, {"net/http", ln.Addr().String()}} {
			for _, conns := range []int{1, 16} {
				b.Run(fmt.Sprintf("kept/size=%d/conns=%d/%s", size, conns, s.name), func(b *testing.B) { kept(b, s.addr, conns) })
			}
			b.Run(fmt.Sprintf("new/size=%d/%s", size, s.name), func(b *testing.B) {
				b.ReportAllocs()
				defer reportCPU(b)()
				for b.Loop() {
					c, err := net.Dial("tcp", s.addr)
					if err != nil {
						b.Fatal(err)
					}
					io.WriteString(c, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
					io.Copy(io.Discard, c)
					c.Close()
				}
			})
		}
	}
}

// kept shares b.N requests among kept connections.
func kept(b *testing.B, addr string, conns int) {
	b.ReportAllocs()
	defer reportCPU(b)()
	var all sync.WaitGroup
	share := b.N/conns + 1
	for range conns {
		c, err := net.DialTimeout("tcp", addr, time.Second)
		if err != nil {
			b.Fatal(err)
		}
		all.Go(func() {
			defer c.Close()
			r := bufio.NewReader(c)
			size := 0
			for range share {
				io.WriteString(c, get)
				if size == 0 {
					// The first answer tells how long they all are.
					res, err := http.ReadResponse(r, nil)
					if err != nil {
						b.Error(err)
						return
					}
					n, _ := io.Copy(io.Discard, res.Body)
					size = int(n)
					continue
				}
				for {
					line, err := r.ReadSlice('\n')
					if err != nil {
						b.Error(err)
						return
					}
					if len(line) == 2 {
						break
					}
				}
				if _, err := r.Discard(size); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
}

// reportCPU adds the processor time of an operation, client included: unlike
// the elapsed time it hardly depends on what else the machine does.
func reportCPU(b *testing.B) func() {
	cpu := func() time.Duration {
		var u syscall.Rusage
		syscall.Getrusage(syscall.RUSAGE_SELF, &u)
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	begun := cpu()
	return func() { b.ReportMetric(float64(cpu()-begun)/float64(b.N), "cpu-ns/op") }
}
