package reference

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nolive/nolive/proxy/nginxconf"
	"github.com/nolive/nolive/proxy/upstream"
)

// benchClients is the number of connections of the load, each asking again as
// soon as it has its answer; keepalive 64 is enough for them.
const benchClients = 32

// BenchmarkAgainstReverseProxy runs the reference proxy and
// net/http/httputil.ReverseProxy in turns on the same backend and load, kept
// alive on both sides, and reports how many times as many requests a second
// the reference proxy serves, and both p99. Load and backend run in the same
// process and cost both the same, so the ratio is a lower bound.
//
// NOLIVE_BENCH_NGINX=host:port adds an nginx that somebody started.
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
	if n := os.Getenv("NOLIVE_BENCH_NGINX"); n != "" {
		targets = append(targets, n)
	}
	var spent [3]time.Duration
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
			began := time.Now()
			load(b, t, round, &latencies[i])
			spent[i] += time.Since(began)
		}
	}
	b.StopTimer()
	rps := func(i int) float64 { return float64(len(latencies[i])) / spent[i].Seconds() }
	b.ReportMetric(rps(0), "req/s")
	b.ReportMetric(rps(1), "httputil-req/s")
	b.ReportMetric(rps(0)/rps(1), "ratio")
	b.ReportMetric(p99(latencies[0]), "p99-µs")
	b.ReportMetric(p99(latencies[1]), "httputil-p99-µs")
	if len(targets) > 2 {
		b.ReportMetric(rps(2), "nginx-req/s")
		b.ReportMetric(p99(latencies[2]), "nginx-p99-µs")
	}
	b.ReportMetric(0, "ns/op")
}

func p99(d []time.Duration) float64 {
	slices.Sort(d)
	return float64(d[len(d)*99/100].Microseconds())
}

// load sends n requests over benchClients connections and collects how long
// each took.
func load(b *testing.B, address string, n int, into *[]time.Duration) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	for range benchClients {
		wg.Go(func() {
			took, err := askMany(address, n/benchClients)
			if err != nil {
				b.Error(err)
			}
			if into != nil {
				mu.Lock()
				*into = append(*into, took...)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
}

// askMany sends n requests one after the other, on a new connection when the
// proxy closes one.
func askMany(address string, n int) (took []time.Duration, err error) {
	request := []byte("GET /a/b?c=d HTTP/1.1\r\nHost: bench\r\nUser-Agent: bench\r\nAccept: */*\r\n\r\n")
	var conn net.Conn
	buf := make([]byte, 64<<10)
	for range n {
		if conn == nil {
			if conn, err = net.Dial("tcp", address); err != nil {
				return took, err
			}
			defer conn.Close()
		}
		began := time.Now()
		if _, err = conn.Write(request); err != nil {
			return took, err
		}
		closing, err := readResponse(conn, buf)
		if err != nil {
			return took, err
		}
		took = append(took, time.Since(began))
		if closing {
			_ = conn.Close()
			conn = nil
		}
	}
	return took, nil
}

// readResponse reads one response with a Content-Length, cheaply.
func readResponse(r io.Reader, buf []byte) (closing bool, err error) {
	n, need := 0, -1
	for need < 0 || n < need {
		k, err := r.Read(buf[n:])
		if err != nil {
			return false, err
		}
		n += k
		if need < 0 {
			end := bytes.Index(buf[:n], []byte("\r\n\r\n"))
			if end < 0 {
				continue
			}
			i := bytes.Index(buf[:end], []byte("Content-Length: "))
			length := 0
			for _, c := range buf[i+16 : end+1] {
				if c == '\r' {
					break
				}
				length = length*10 + int(c-'0')
			}
			need = end + 4 + length
			closing = bytes.Contains(buf[:end], []byte("Connection: close"))
		}
	}
	return closing, nil
}

// fastBackend answers every request with the same bytes.
func fastBackend(b *testing.B, size int) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	answer := []byte("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: " + strconv.Itoa(size) + "\r\n\r\n" + strings.Repeat("x", size))
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				r := bufio.NewReader(c)
				for {
					for {
						line, err := r.ReadSlice('\n')
						if err != nil {
							return
						}
						if len(line) == 2 {
							break
						}
					}
					if _, err := c.Write(answer); err != nil {
						return
					}
				}
			}()
		}
	}()
	b.Cleanup(func() { _ = l.Close() })
	return l.Addr().String()
}

func benchReference(b *testing.B, backend string) string {
	u := &upstream.Config{Name: "u", Servers: []upstream.Server{upstream.NewServer("a")}, Keepalive: upstream.KeepaliveConfig{Connections: 64}}
	pass := &nginxconf.Pass{Upstream: u, Match: "/", ConnectTimeout: time.Minute, SendTimeout: time.Minute, ReadTimeout: time.Minute, HTTP11: true, KeepConnection: true}
	p, err := Start(Options{
		Backends: map[string]string{"a": backend},
		Config: &nginxconf.Config{Upstreams: []*upstream.Config{u}, Servers: []*nginxconf.Server{{
			Listens:   []nginxconf.Listen{{Address: "80"}},
			Locations: []*nginxconf.Location{{Path: "/", Pass: pass}},
		}}},
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = p.Close() })
	return p.Address("")
}

func benchReverseProxy(b *testing.B, backend string) string {
	u := &url.URL{Scheme: "http", Host: backend}
	rp := httputil.NewSingleHostReverseProxy(u)
	rp.Transport = &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	s := &http.Server{Handler: rp}
	go func() { _ = s.Serve(l) }()
	b.Cleanup(func() { _ = s.Close() })
	return l.Addr().String()
}
