package reference

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nolive/nolive/proxy/nginxconf"
	"github.com/nolive/nolive/proxy/upstream"
)

// However a response head is cut into reads, it means the same.
func FuzzResponseHead(f *testing.F) {
	for _, s := range []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok",
		"HTTP/1.0 404\n\n", "HTTP/1.1 200 OK\rX\r\n\r\n", "HTTP/0.9 200 OK\r\n\r\n", "HTTP/1.1 2000 OK\r\n\r\n",
		"HTTP/1.1 200 OK\r\nHTTP/1.1 200 OK\r\nA: b\r\n\r\n", "HTTP/1.1 200 OK\r\nA b: c\r\n\r\n", "HTTP/1.1 200 OK\r\n: c\r\n\r\n",
		"garbage", "", "H", "HTTP/1.1  200 OK\r\nTransfer-Encoding: Chunked\r\nA: b\rc\r\n\r\n", "HTTP/1.1 200 OK\r\nA: \x00\r\n\r\n",
	} {
		f.Add([]byte(s), uint8(1))
	}
	f.Fuzz(func(t *testing.T, data []byte, step uint8) {
		var once, cut response
		once.reset()
		cut.reset()
		v := once.scan(data)
		w := more
		for n := 0; n < len(data) && w == more; {
			n = min(n+int(step)+1, len(data))
			w = cut.scan(data[:n])
		}
		if v != w {
			t.Fatalf("at once %d, in pieces %d", v, w)
		}
		if v != whole {
			return
		}
		if once.at > len(data) || once.status < 0 || once.status > 999 {
			t.Fatalf("status %d, body at %d of %d", once.status, once.at, len(data))
		}
		if d := cmp.Diff(heads(&once), heads(&cut)); d != "" {
			t.Fatal(d)
		}
	})
}

// heads is a response head to compare.
func heads(rs *response) map[string]string {
	m := map[string]string{
		"status": itoa(rs.status), "text": string(rs.text), "type": string(rs.contentType), "at": sizeOf(string(make([]byte, rs.at))),
	}
	for _, f := range rs.fields {
		m["field "+string(f.name)] += string(f.value) + "|"
	}
	if rs.keep {
		m["keep"] = "yes"
	}
	if rs.chunked {
		m["chunked"] = "yes"
	}
	if rs.raw {
		m["raw"] = "yes"
	}
	return m
}

// What is accepted from a client reaches a backend as exactly one request that
// means the same: nothing can be smuggled through in a header.
func FuzzRequestHead(f *testing.F) {
	for _, s := range []string{
		"GET / HTTP/1.1\r\nHost: a\r\n\r\n", "POST /a?b HTTP/1.0\nContent-Length: 5\n\n", "GET http://a/b HTTP/1.1\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nA: b\r\rGET / HTTP/1.1\r\n\r\n",
		"GET / HTTP/2.0\r\n\r\n", "\r\n\r\n", "GET /\r\n\r\n", "GET  /  HTTP/1.1 \r\nHost: a\r\n x: y\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nx_y: z\r\n\r\n",
	} {
		f.Add([]byte(s))
	}
	pass := &nginxconf.Pass{Upstream: &upstream.Config{Name: "u"}, Match: "/"}
	server := &nginxconf.Server{Listens: []nginxconf.Listen{{Address: "80"}}, Locations: []*nginxconf.Location{{Path: "/", Pass: pass}}}
	config := &nginxconf.Config{Servers: []*nginxconf.Server{server}}
	f.Fuzz(func(t *testing.T, data []byte) {
		end, _, status := headEnd(data, 0)
		if in, _, again := pieces(data); in != end || end > 0 && again != 0 {
			t.Fatalf("the head ends at %d at once, at %d in pieces", end, in)
		}
		if end == 0 || status != 0 {
			return
		}
		c := &client{proxy: &Proxy{config: config}, router: newRouter(config, "80")}
		if c.rq.scan(data[:end]) != 0 {
			return
		}
		c.find()
		if c.route.step.Pass == nil {
			return
		}
		c.compose(c.route.step)
		n, _, status := headEnd(c.out, 0)
		if n != len(c.out) || status != 0 {
			t.Fatalf("%q: the head ends at %d, status %d", c.out, n, status)
		}
		var there request
		if s := there.scan(c.out); s != 0 || there.method != c.rq.method || !bytes.Equal(there.target, []byte(c.route.step.URI)) || there.chunked {
			t.Fatalf("%q means %+v, status %d", c.out, there, s)
		}
	})
}

// pieces finds the end of a head byte by byte.
func pieces(data []byte) (end, from, status int) {
	for n := 1; n <= len(data); n++ {
		if end, from, status = headEnd(data[:n], from); end > 0 || status != 0 {
			return end, from, status
		}
	}
	return 0, from, 0
}

// However a chunked body is cut into reads, it decodes to the same.
func FuzzChunks(f *testing.F) {
	for _, s := range []string{"5\r\nhello\r\n0\r\n\r\n", "0\n\n", "a;b=c\n0123456789\nF\r\n", "00000000000000000000000001\r\nx\r\n0\r\nA: b\r\n\r\nrest", "g", "ffffffffffffffffffff\r\n"} {
		f.Add([]byte(s), uint8(0))
	}
	f.Fuzz(func(t *testing.T, data []byte, step uint8) {
		var once, cut chunks
		b := bytes.Clone(data)
		n, used, err := once.decode(b)
		var got []byte
		var gotUsed int
		var gotErr error
		for gotUsed < len(data) && !cut.done && gotErr == nil {
			piece := bytes.Clone(data[gotUsed:min(gotUsed+int(step)+1, len(data))])
			k, u, err := cut.decode(piece)
			got, gotUsed, gotErr = append(got, piece[:k]...), gotUsed+u, err
		}
		if !bytes.Equal(b[:n], got) || used != gotUsed || (err == nil) != (gotErr == nil) || once.done != cut.done {
			t.Fatalf("at once %q %d %v %v, in pieces %q %d %v %v", b[:n], used, err, once.done, got, gotUsed, gotErr, cut.done)
		}
	})
}
