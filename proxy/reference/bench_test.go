package reference

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// benchClients is the number of connections of the load, each asking again as
// soon as it has its answer; keepalive 64 is enough for them.
const benchClients = 32

// What a browser sends and what an application answers.
const (
	benchRequest = "GET /a/b?c=d HTTP/1.1\r\nHost: shop.example\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0\r\n" +
		"Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\nAccept-Language: en-US,en;q=0.5\r\n" +
		"Accept-Encoding: gzip, deflate, br, zstd\r\nReferer: http://shop.example/a\r\nCookie: session=0123456789abcdef0123456789abcdef\r\n" +
		"Priority: u=0, i\r\nCache-Control: no-cache\r\n\r\n"
	benchHead = "HTTP/1.1 200 OK\r\nServer: app\r\nDate: Mon, 02 Jan 2006 15:04:05 GMT\r\nContent-Type: text/html; charset=utf-8\r\n" +
		"Cache-Control: private, no-cache\r\nETag: \"0123456789abcdef\"\r\nVary: Accept-Encoding\r\nX-Frame-Options: DENY\r\nX-Request-Id: 0123456789abcdef\r\n"
)

// BenchmarkAgainstReverseProxy runs the reference proxy and
// net/http/httputil.ReverseProxy in turns on the same backend and load, kept
// alive on both sides, and reports how many times as many requests a second
// the reference proxy serves, and both p99. Load and backend run in the same
// process and cost both the same, so the ratio is a lower bound of what the
// proxies alone would give.
// With the tag e2e the real nginx with one worker is the third.
func BenchmarkAgainstReverseProxy(b *testing.B) {
	for _, size := range []int{100, 16 << 10} {
		b.Run(strconv.Itoa(size)+"B", func(b *testing.B) { compare(b, size) })
	}
}

// BenchmarkReference is the reference proxy alone, to see that a request
// allocates nothing.
func BenchmarkReference(b *testing.B) {
	address := benchReference(b, fastBackend(b, 100))
	load(b, address, 2000, nil)
	b.ReportAllocs()
	b.ResetTimer()
	load(b, address, max(b.N, benchClients), nil)
}

func compare(b *testing.B, size int) {
	backend := fastBackend(b, size)
	ours := benchReference(b, backend)
	theirs := benchReverseProxy(b, backend)
	targets := []string{ours, theirs}
	if n := benchNginx(b, backend); n != "" {
		targets = append(targets, n)
	}
	var spent, cpu [3]time.Duration
	var latencies [3][]time.Duration
	const round = 2000
	for _, t := range targets {
		load(b, t, round, nil) // warm
	}
	b.ResetTimer()
	// In turns of a few thousand requests, so that whatever else the machine
	// does meets both.
	for left := max(b.N, 4*round); left > 0; left -= round {
		for i, t := range targets {
			began, used := time.Now(), cpuTime(b)
			load(b, t, round, &latencies[i])
			spent[i] += time.Since(began)
			cpu[i] += cpuTime(b) - used
		}
	}
	b.StopTimer()
	rps := func(i int) float64 { return float64(len(latencies[i])) / spent[i].Seconds() }
	b.ReportMetric(rps(0), "req/s")
	b.ReportMetric(rps(1), "httputil-req/s")
	b.ReportMetric(rps(0)/rps(1), "ratio")
	b.ReportMetric(float64(cpu[1])/float64(cpu[0]), "cpu-ratio")
	b.ReportMetric(p99(latencies[0]), "p99-µs")
	b.ReportMetric(p99(latencies[1]), "httputil-p99-µs")
	if len(targets) > 2 {
		b.ReportMetric(rps(2), "nginx-req/s")
		b.ReportMetric(p99(latencies[2]), "nginx-p99-µs")
	}
	b.ReportMetric(0, "ns/op")
}

// cpuTime is what this process has used. The ratio of two such times bears a
// machine on which others run too.
func cpuTime(b *testing.B) time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func p99(d []time.Duration) float64 {
	slices.Sort(d)
	return float64(d[len(d)*99/100].Microseconds())
}
