package reference

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nolive/nolive/proxy/nginxconf"
	"github.com/nolive/nolive/proxy/upstream"
)

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
	request := []byte(benchRequest)
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
	answer := []byte(benchHead + "Content-Length: " + strconv.Itoa(size) + "\r\n\r\n" + strings.Repeat("x", size))
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
