package reference

import (
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/onsi/gomega"
	"github.com/onsi/gomega/gleak"

	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/nginxconf"
	"github.com/nolive/nolive/proxy/upstream"
)

// Close ends hung requests, twice does no harm, and nothing is left: no
// goroutine, no descriptor.
func TestCloseLeavesNothing(t *testing.T) {
	g := gomega.NewWithT(t)
	goroutines, descriptors := gleak.Goroutines(), openFiles(t)
	const n = 100
	var hung sync.WaitGroup
	hung.Add(n)
	p := play(t, func(_ int, x *exchange) {
		x.head()
		hung.Done()
		_ = x.gone()
	})
	s := start(t, addrs(p), kept(8))
	var clients []net.Conn
	for range n {
		c := s.dial()
		_, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
		clients = append(clients, c)
	}
	hung.Wait()
	at := time.Now()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	t.Logf("closed in %v", time.Since(at))
	if got := strings.Count(s.log.of(event.AttemptEnded), "aborted"); got != n {
		t.Errorf("%d attempts ended, want %d", got, n)
	}
	for _, c := range clients {
		_ = c.Close()
	}
	p.stop()
	g.Eventually(gleak.Goroutines).WithTimeout(5 * time.Second).ShouldNot(gleak.HaveLeaked(goroutines))
	eventually(t, "descriptors are released", func() bool { return openFiles(t) <= descriptors })
}

// After traffic of every kind the proxy is as it was, while it runs.
func TestTrafficLeavesNothing(t *testing.T) {
	p := play(t, func(n int, x *exchange) {
		for {
			switch h := x.head(); {
			case h == "", strings.Contains(h, "/closed"):
				return
			case strings.Contains(h, "/reset"):
				x.reset()
				return
			case strings.Contains(h, "/hang"):
				_ = x.gone()
				return
			default:
				x.send(ok)
			}
		}
	})
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // which would close forgotten files
	s := startAt(t, 100, append(addrs(p), refused(t)), func(u *upstream.Config, pass *nginxconf.Pass) {
		kept(2)(u, pass)
		u.Servers[0].MaxFails = 0
		pass.ReadTimeout = time.Second
	})
	run := func() {
		for _, path := range []string{"/", "/closed", "/reset", "/hang", "/"} {
			s.get(path)
			s.ask("POST " + path + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 20000\r\n\r\n" + strings.Repeat("x", 20000))
		}
	}
	run()
	settled := func() (int, int) { return runtime.NumGoroutine(), openFiles(t) }
	time.Sleep(50 * time.Millisecond) // a start to compare with; the bound below has room
	g0, f0 := settled()
	for range 20 {
		run()
	}
	eventually(t, "goroutines and descriptors are released", func() bool {
		g, f := settled()
		return g <= g0+6 && f <= f0+6
	})
}

func openFiles(t *testing.T) int {
	t.Helper()
	all, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("needs /proc")
	}
	return len(all)
}

// Hung requests cost little: the bytes of the request and a stack each.
func TestHungRequestsAreSmall(t *testing.T) {
	const n = 500 // 4 descriptors each, and a port in TIME_WAIT for a minute
	var hung sync.WaitGroup
	hung.Add(n)
	p := play(t, func(_ int, x *exchange) {
		x.head()
		hung.Done()
		_ = x.gone()
	})
	s := start(t, addrs(p), nil)
	before := memory()
	for range n {
		c := s.dial()
		_, _ = io.WriteString(c, "GET /"+strings.Repeat("a", 200)+" HTTP/1.1\r\nHost: a\r\n\r\n")
	}
	hung.Wait()
	each := (memory() - before) / n
	t.Logf("%d bytes a hung request, client and backend of the test included", each)
	if each > 40<<10 { // 5,000 in 200 MB
		t.Errorf("%d bytes a hung request", each)
	}
}

func memory() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse
}

// A configuration that the model can't follow is refused with the place.
func TestRefusals(t *testing.T) {
	c := &nginxconf.Config{
		Servers: []*nginxconf.Server{{}},
		NginxOnly: []nginxconf.Note{
			{Pos: nginxconf.Pos{File: "a.conf", Line: 3, Col: 5}, Text: "least_conn runs on nginx only, because it isn't modelled"},
			{Pos: nginxconf.Pos{File: "a.conf", Line: 9, Col: 1}, Text: "proxy_cache runs on nginx only, because it isn't modelled"},
		},
	}
	_, err := Start(Options{Config: c})
	want := "a.conf:3:5: least_conn runs on nginx only, because it isn't modelled\na.conf:9:1: proxy_cache runs on nginx only, because it isn't modelled"
	if err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
	c.NginxOnly = nil
	u := upstream.Config{Name: "u", Servers: []upstream.Server{upstream.NewServer("app1")}}
	c.Upstreams = append(c.Upstreams, &u)
	if _, err := Start(Options{Config: c}); err == nil || !strings.Contains(err.Error(), "backend app1: no address") {
		t.Errorf("got %v", err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, err = Start(Options{Config: c, Backends: map[string]string{"app1": "127.0.0.1:1"}, Listen: map[string]string{"80": l.Addr().String()}})
	if err == nil || !strings.Contains(err.Error(), "listen 80: ") {
		t.Errorf("got %v", err)
	}
}

// Workers have their own state unless the block has a zone, and the draw is
// the seed's alone.
func TestWorkers(t *testing.T) {
	for _, zone := range []string{"own state", "zone"} {
		t.Run(zone, func(t *testing.T) {
			u := &upstream.Config{Name: "u", Zone: zone == "zone", Servers: []upstream.Server{upstream.NewServer("a"), upstream.NewServer("b")}}
			pass := &nginxconf.Pass{Upstream: u, Match: "/", ConnectTimeout: time.Minute, SendTimeout: time.Minute, ReadTimeout: time.Minute}
			c := &nginxconf.Config{WorkerProcesses: 3, Upstreams: []*upstream.Config{u},
				Servers: []*nginxconf.Server{{Listens: []nginxconf.Listen{{Address: "80"}}, Locations: []*nginxconf.Location{{Path: "/", Pass: pass}}}}}
			good := play(t, fine)
			l := &log{}
			p, err := Start(Options{Config: c, Sink: l, Seed: 7, Backends: map[string]string{"a": refused(t), "b": good.Addr().String()}})
			if err != nil {
				t.Fatal(err)
			}
			s := &setting{p, t, l}
			defer p.Close()
			for range 20 {
				if a := s.get("/"); code(a) != "200" {
					t.Errorf("answer %q", a)
				}
			}
			marks := strings.Count(l.of(event.PeerMarked), "marked a")
			if want := map[string]int{"own state": 3, "zone": 1}[zone]; marks != want {
				t.Errorf("%d marks, want %d: one for each state", marks, want)
			}
			seen := ""
			for _, e := range l.events {
				if e.Kind == event.ProxyAnswered {
					seen += fmt.Sprint(e.Worker)
				}
			}
			if seen[0] != '0' || !strings.Contains(seen, "1") || !strings.Contains(seen, "2") {
				t.Errorf("workers %s", seen)
			}
		})
	}
}
