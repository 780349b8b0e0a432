package reference

import (
	"bytes"
	"testing"

	"github.com/nolive/nolive/proxy/nginxconf"
	"github.com/nolive/nolive/proxy/upstream"
)

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
		end, _, status := headEnd(data, 0, &plainHeads)
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
		n, _, status := headEnd(c.out, 0, &plainHeads)
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
		if end, from, status = headEnd(data[:n], from, &plainHeads); end > 0 || status != 0 {
			return end, from, status
		}
	}
	return 0, from, 0
}

// plainHeads are nginx's defaults.
var plainHeads = (&nginxconf.Server{}).Heads()
