//go:build e2e

package nginx

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nolive/nolive/harness/event"
)

// story is what the events tell of one request: its attempts, marks and answer.
func story(events []event.Event, id string) string {
	r, _ := event.ParseRequest(id)
	var out []string
	for _, e := range events {
		if e.Request != r {
			continue
		}
		switch e.Kind {
		case event.AttemptEnded:
			s := fmt.Sprintf("%s@%s=%v/%d", e.Peer, e.Upstream, e.Outcome, e.Status)
			if e.Cached {
				s += "(cached)"
			}
			if e.Detail != "" {
				s += "(" + e.Detail + ")"
			}
			out = append(out, s)
		case event.PeerMarked:
			out = append(out, "mark")
		case event.NoLive:
			out = append(out, "no live "+e.Upstream)
		case event.ProxyAnswered:
			out = append(out, fmt.Sprint(e.Status))
		}
	}
	return strings.Join(out, " ")
}

func hang(c net.Conn, r *bufio.Reader) {
	http.ReadRequest(r)
	io.Copy(io.Discard, c)
}

func closeAtOnce(c net.Conn, r *bufio.Reader) { http.ReadRequest(r) }

// cutting answers with a broken body.
func cutting(then func(c *net.TCPConn)) func(net.Conn, *bufio.Reader) {
	return func(c net.Conn, r *bufio.Reader) {
		http.ReadRequest(r)
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\nConnection: close\r\n\r\nten bytes.")
		then(c.(*net.TCPConn))
	}
}

// Every way in which an attempt ends is told apart, by nginx's own words.
func TestOutcomes(t *testing.T) {
	conf := `
proxy_connect_timeout 2s; proxy_read_timeout 3s; proxy_send_timeout 3s;
`
	backends := map[string]string{"good": backend(t, answer(ok))}
	add := func(name, address, extra string) {
		backends[name] = address
		conf += fmt.Sprintf("upstream u-%s { server %s; server good; }\n", name, name)
		conf += fmt.Sprintf("server { listen %d; location / { proxy_pass http://u-%s; %s } }\n", 8000+len(backends), name, extra)
	}
	status := func(code string) func(net.Conn, *bufio.Reader) {
		return answer("HTTP/1.1 " + code + " X\r\nContent-Length: 1\r\nConnection: close\r\n\r\nx")
	}
	add("refuse", refusing(t), "")
	add("hang", backend(t, hang), "")
	add("reset", backend(t, reset), "")
	add("close", backend(t, closeAtOnce), "")
	add("junk", backend(t, answer("HTTP/1.1 200 OK\r\nno colon here\r\n\r\n")), "proxy_next_upstream invalid_header;")
	add("old", backend(t, answer("garbage\r\n")), "")
	add("s503", backend(t, status("503")), "proxy_next_upstream http_503;")
	add("s404", backend(t, status("404")), "proxy_next_upstream http_404;")
	add("p500", backend(t, status("500")), "")
	add("fin", backend(t, cutting(func(*net.TCPConn) {})), "")
	add("rst", backend(t, cutting(func(c *net.TCPConn) { time.Sleep(20 * time.Millisecond); c.SetLinger(0) })), "")
	add("stall", backend(t, cutting(func(c *net.TCPConn) { io.Copy(io.Discard, c) })), "")
	add("off", refusing(t), "proxy_next_upstream off;")
	add("head", backend(t, func(c net.Conn, r *bufio.Reader) {
		http.ReadRequest(r)
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\nConnection: close\r\n\r\n")
	}), "proxy_method HEAD;")
	add("blackhole", blackhole(t), "")

	p, sink, _ := run(t, 20, conf, backends)
	want := map[string]string{
		"refuse":    "refuse@u-refuse=refused/502 mark good@u-refuse=passed/200 200",
		"hang":      "hang@u-hang=read_timeout/504 mark good@u-hang=passed/200 200",
		"reset":     "reset@u-reset=reset/502 mark good@u-reset=passed/200 200",
		"close":     "close@u-close=closed/502 mark good@u-close=passed/200 200",
		"junk":      "junk@u-junk=invalid_header/502 mark good@u-junk=passed/200 200",
		"old":       "old@u-old=passed/200 9",
		"s503":      "s503@u-s503=listed/503 mark good@u-s503=passed/200 200",
		"s404":      "s404@u-s404=listed/404 good@u-s404=passed/200 200",
		"p500":      "p500@u-p500=passed/500 500",
		"fin":       "fin@u-fin=truncated/200(closed) 200",
		"rst":       "rst@u-rst=truncated/200(reset) 200",
		"stall":     "stall@u-stall=truncated/200(read_timeout) 200",
		"off":       "off@u-off=refused/502 mark 502",
		"head":      "head@u-head=passed/200 200",
		"blackhole": "blackhole@u-blackhole=connect_timeout/504 mark good@u-blackhole=passed/200 200",
	}
	ports := map[string]string{}
	for _, s := range p.opts.Config.Servers {
		ports[s.Locations[0].Pass.Upstream.Name] = p.Address(s.Listens[0].Address)
	}
	for name := range want {
		get(client(), ports["u-"+name], "/", name+"/1")
	}
	stop(t, p)
	got := map[string]string{}
	for name := range want {
		got[name] = story(sink.events, name+"/1")
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s\nnot ours:%s", d, story(sink.events, ""))
	}
}

// A client that leaves is an attempt that was aborted, before and after the header.
func TestAborted(t *testing.T) {
	got := make(chan bool, 1)
	p, sink, _ := run(t, 1, `
server { listen 81; location / { proxy_pass http://hang; } }
server { listen 82; location / { proxy_pass http://stall; } }`, map[string]string{
		"hang": backend(t, func(c net.Conn, r *bufio.Reader) {
			http.ReadRequest(r)
			got <- true
			io.Copy(io.Discard, c)
		}),
		"stall": backend(t, func(c net.Conn, r *bufio.Reader) {
			http.ReadRequest(r)
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"+strings.Repeat("x", 50000))
			io.Copy(io.Discard, c)
		}),
	})
	ask := func(listen, id string) (net.Conn, *bufio.Reader) {
		c, err := net.Dial("tcp", p.Address(listen))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(c, "GET / HTTP/1.1\r\nHost: x\r\n%s: %s\r\n\r\n", event.RequestHeader, id)
		return c, bufio.NewReader(c)
	}
	c, _ := ask("81", "hang/1")
	<-got
	c.Close()
	c, r := ask("82", "stall/1")
	if _, err := http.ReadResponse(r, nil); err != nil {
		t.Fatal(err)
	}
	c.Close()
	eventually(t, func() bool { return lines(t, p.prefix.file(accessFile)) == 2 })
	stop(t, p)
	if got := story(sink.events, "hang/1"); got != "hang@hang=aborted/0 499" {
		t.Error(got)
	}
	if got := story(sink.events, "stall/1"); got != "stall@stall=aborted/200 200" {
		t.Error(got)
	}
}

// A pool without a live peer, and error_page that turns to another upstream.
func TestNoLiveAndErrorPage(t *testing.T) {
	p, sink, _ := run(t, 1, `
upstream dead { server a; server b; }
upstream spare { server c; server d; }
server { 
  location / { proxy_pass http://dead; error_page 502 = @spare; }
  location @spare { proxy_pass http://spare; }
}`, map[string]string{"a": refusing(t), "b": refusing(t), "c": backend(t, reset), "d": backend(t, answer(ok))})
	for n := 1; n <= 2; n++ {
		get(client(), p.Address("80"), "/", fmt.Sprintf("t/%d", n))
	}
	stop(t, p)
	if got, want := story(sink.events, "t/1"), "a@dead=refused/502 mark b@dead=refused/502 mark c@spare=reset/502 mark d@spare=passed/200 200"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := story(sink.events, "t/2"), "no live dead d@spare=passed/200 200"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	var logged []string
	for _, e := range sink.kind(event.Logged) {
		if e.Request.N == 2 {
			logged = append(logged, e.Detail)
		}
	}
	if len(logged) != 1 || logged[0] != "no live upstreams while connecting to upstream" {
		t.Errorf("logged %q", logged)
	}
}

// Kept-alive connections: the second attempt on a peer is cached; a dead one is
// a counted failure with a free try.
func TestCached(t *testing.T) {
	once := func(c net.Conn, r *bufio.Reader) { // one answer, then a reset in the middle of the next request
		for n := 0; n < 2; n++ {
			if _, err := http.ReadRequest(r); err != nil || n == 1 {
				c.(*net.TCPConn).SetLinger(0)
				return
			}
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
		}
	}
	p, sink, _ := run(t, 1, `
upstream u { server a; keepalive 4; }
server { location / { proxy_pass http://u; proxy_http_version 1.1; proxy_set_header Connection ""; } }`,
		map[string]string{"a": backend(t, once)})
	for n := 1; n <= 2; n++ {
		if s := get(client(), p.Address(""), "/", fmt.Sprintf("t/%d", n)); s != 200 {
			t.Errorf("request %d: %d", n, s)
		}
	}
	stop(t, p)
	if got, want := story(sink.events, "t/2"), "a@u=reset/502(cached) a@u=passed/200 200"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// What still runs at the end has begun and not ended.
func TestUnfinished(t *testing.T) {
	p, sink, _ := run(t, 10, `
upstream u { server a; server b; }
server { location / { proxy_pass http://u; proxy_ignore_client_abort on; } }`,
		map[string]string{"a": refusing(t), "b": backend(t, hang)})
	c, err := net.Dial("tcp", p.Address(""))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprintf(c, "GET / HTTP/1.1\r\nHost: x\r\n%s: t/1\r\n\r\n", event.RequestHeader)
	eventually(t, func() bool { return lines(t, p.prefix.file(errorFile)) >= 3 })
	began := time.Now()
	stop(t, p)
	if d := time.Since(began); d > time.Second {
		t.Errorf("close took %v", d)
	}
	if got, want := story(sink.events, "t/1"), "a@u=refused/502 mark"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if s := sink.kind(event.AttemptStarted); len(s) != 2 || s[1].Peer != "b" || s[1].Try != 2 {
		t.Errorf("started: %+v", s)
	}
}

// Workers that share a socket wake up for the same connection and all but one
// come too late; that must not stop any of them.
func TestManyWorkersOneSocket(t *testing.T) {
	p, sink, _ := run(t, 1, "worker_processes 4;\n"+plain, plainBackends(t))
	var all sync.WaitGroup
	for n := range 400 {
		all.Go(func() {
			time.Sleep(time.Duration(n) * time.Millisecond)
			if s := get(client(), p.Address(""), "/", fmt.Sprintf("t/%d", n+1)); s != 200 {
				t.Errorf("status %d", s)
			}
		})
	}
	all.Wait()
	began := time.Now()
	stop(t, p)
	if d := time.Since(began); d > 2*time.Second {
		t.Errorf("close took %v: a worker hangs", d)
	}
	if n := len(sink.kind(event.ProxyAnswered)); n != 400 {
		t.Errorf("%d answers, want 400", n)
	}
}

// Workers are numbered in order of first use, and each marks for itself.
func TestWorkers(t *testing.T) {
	p, sink, _ := run(t, 1, `
worker_processes 3;
upstream u { server a; server b; }
server { listen 80 reuseport; location / { proxy_pass http://u; } }`,
		map[string]string{"a": refusing(t), "b": backend(t, answer(ok))})
	for n := 1; n <= 60; n++ {
		if s := get(client(), p.Address(""), "/", fmt.Sprintf("t/%d", n)); s != 200 {
			t.Errorf("request %d: %d", n, s)
		}
	}
	stop(t, p)
	seen := map[int]bool{}
	for _, e := range sink.kind(event.AttemptStarted) {
		if !seen[e.Worker] && e.Worker != len(seen) {
			t.Fatalf("worker %d is the %d. to be seen", e.Worker, len(seen)+1)
		}
		seen[e.Worker] = true
	}
	if marks := sink.kind(event.PeerMarked); len(seen) < 2 || len(marks) != len(seen) {
		t.Errorf("%d workers, %d marks", len(seen), len(marks))
	}
}

func lines(t *testing.T, file string) int {
	t.Helper()
	n, err := readFile(file, func(r io.Reader) (n int, err error) {
		err = eachLine(r, func(int, []byte) error { n++; return nil })
		return n, err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// eventually waits for a condition, looking often, at most 5 s.
func eventually(t *testing.T, f func() bool) {
	t.Helper()
	for end := time.Now().Add(5 * time.Second); !f(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("waited 5 s in vain")
		}
	}
}
