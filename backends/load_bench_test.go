//go:build linux

package backends_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nolive/nolive/backends"
	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/clock"
)

// BenchmarkLateness tells how late scheduled wire actions are, in real time: the
// answers of a backend that takes 5 ms for each. On an idle machine p99 is under
// 1 ms.
func BenchmarkLateness(b *testing.B) {
	clk := clock.New(1)
	clk.Begin(time.Now())
	s := start(b, backends.Options{Clock: clk, Rules: always(b, &fault.RespondSpec{After: fault.For(5 * time.Millisecond)})})
	c := dial(b, s.Addr())
	c.SetDeadline(time.Time{})
	r := bufio.NewReader(c)
	for b.Loop() {
		send(b, c, get)
		answer(b, r)
	}
	late := clk.Lateness().Jitter(clock.Wait)
	b.ReportMetric(float64(late.P50.Microseconds()), "p50-us")
	b.ReportMetric(float64(late.P99.Microseconds()), "p99-us")
	b.ReportMetric(float64(late.Max.Microseconds()), "max-us")
}

// BenchmarkShare is what a healthy backend with history on serves for each
// request that a bare net/http server serves, both asked in turns in one run: 0.9
// or more.
func BenchmarkShare(b *testing.B) {
	const body = "OK\n"
	ours := start(b, backends.Options{Name: "app1", Sink: &record{}, Log: &journal{}})
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	theirs := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, body) })}
	go theirs.Serve(ln)
	b.Cleanup(func() { theirs.Close() })
	for _, conns := range []int{1, 16} {
		b.Run(fmt.Sprintf("conns=%d", conns), func(b *testing.B) {
			var shares []float64
			took := map[string]time.Duration{}
			for b.Loop() {
				round := map[string]time.Duration{}
				for _, addr := range []string{ours.Addr(), ln.Addr().String()} {
					begun := time.Now()
					requests(b, addr, conns, 2000)
					round[addr] = time.Since(begun)
					took[addr] += round[addr]
				}
				shares = append(shares, float64(round[ln.Addr().String()])/float64(round[ours.Addr()]))
			}
			slices.Sort(shares)
			b.ReportMetric(shares[len(shares)/2], "of-net/http")
			b.ReportMetric(float64(took[ours.Addr()].Microseconds())/float64(2000*len(shares)), "us/request")
		})
	}
}

// BenchmarkHistory is what history adds to a request: its two entries, taken in.
func BenchmarkHistory(b *testing.B) {
	plain := start(b, backends.Options{Name: "app1"})
	noted := start(b, backends.Options{Name: "app1", Sink: &record{}, Log: &journal{}})
	var cost []float64
	for b.Loop() {
		took := map[*backends.Server]time.Duration{}
		for _, s := range []*backends.Server{plain, noted, noted, plain} {
			begun := time.Now()
			requests(b, s.Addr(), 1, 1000)
			took[s] += time.Since(begun)
		}
		cost = append(cost, float64((took[noted]-took[plain]).Nanoseconds())/2000/2)
	}
	slices.Sort(cost)
	b.ReportMetric(max(cost[len(cost)/2], 0), "ns/event")
}

// requests shares n requests among kept connections.
func requests(b *testing.B, addr string, conns, n int) {
	var all sync.WaitGroup
	for range conns {
		c, err := net.DialTimeout("tcp", addr, patience)
		if err != nil {
			b.Fatal(err)
		}
		all.Go(func() {
			defer c.Close()
			r := bufio.NewReader(c)
			for range n / conns {
				io.WriteString(c, get)
				res, err := http.ReadResponse(r, nil)
				if err != nil {
					b.Error(err)
					return
				}
				io.Copy(io.Discard, res.Body)
			}
		})
	}
	all.Wait()
}

// BenchmarkHungConnections holds 10,000 connections on one backend that hangs:
// under 400 MB, without a thread each, and closed within a second. The clients are
// another process, because each has a descriptor too.
func BenchmarkHungConnections(b *testing.B) {
	const count = 10_000
	for b.Loop() {
		runtime.GC()
		before := memory(b)
		s, err := backends.Start(backends.Options{Rules: always(b, &fault.HangSpec{})})
		if err != nil {
			b.Fatal(err)
		}
		quit := hangOn(b, s.Addr(), count)
		eventually(b, "all requests", func() bool { return s.Counts().Requests == count })
		b.ReportMetric(memory(b)-before, "MB")
		b.ReportMetric(float64(status(b, "Threads")), "threads")
		begun := time.Now()
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(time.Since(begun).Milliseconds()), "close-ms")
		quit()
	}
}

// hangOn has another process ask on so many connections and wait.
func hangOn(b testing.TB, addr string, count int) (quit func()) {
	b.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "NOLIVE_TEST_CLIENTS="+addr+" "+strconv.Itoa(count))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	return func() { in.Close(); cmd.Process.Kill(); cmd.Wait() }
}

// clients is the program of hangOn.
func clients(what string) {
	addr, n, _ := strings.Cut(what, " ")
	count, _ := strconv.Atoi(n)
	var kept []net.Conn
	for range count {
		c, err := net.DialTimeout("tcp", addr, patience)
		if err != nil {
			fmt.Fprintln(os.Stderr, len(kept), "connections, then", err)
			os.Exit(1)
		}
		io.WriteString(c, get)
		kept = append(kept, c)
	}
	io.Copy(io.Discard, os.Stdin)
	os.Exit(len(kept) - count)
}

// memory is what this process has in memory, in MB.
func memory(b testing.TB) float64 { return float64(status(b, "VmRSS")) / 1024 }

// status is a number of /proc/self/status.
func status(b testing.TB, key string) int {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		b.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "\n"+key+":")
	n, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		b.Fatal(err)
	}
	return n
}

// A thousand connections that hang cost a tenth of what ten thousand may.
func TestHungConnectionsAreCheap(t *testing.T) {
	const count = 1000
	runtime.GC()
	before := memory(t)
	s, err := backends.Start(backends.Options{Rules: always(t, &fault.HangSpec{})})
	if err != nil {
		t.Fatal(err)
	}
	defer hangOn(t, s.Addr(), count)()
	eventually(t, "all requests", func() bool { return s.Counts().Requests == count })
	if mb := memory(t) - before; mb > 40 {
		t.Errorf("%d connections take %.0f MB, want at most 40", count, mb)
	}
	if n := status(t, "Threads"); n > 100 {
		t.Errorf("%d threads", n)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if n := s.Counts().Open; n != 0 {
		t.Errorf("%d connections are left", n)
	}
}
