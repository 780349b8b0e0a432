package reference

import (
	"strconv"

	"github.com/nolive/nolive/proxy/nginxconf"
)

// compose makes the request as a backend gets it, in the order of nginx's
// proxy_set_header defaults, with the body behind it if it is in memory. It is
// the same for every attempt.
func (c *client) compose(pass *nginxconf.Pass) {
	rq := &c.rq
	size := len(rq.method) + len(c.route.uri) + len(pass.Upstream.Name) + 96 + c.body.n
	for _, f := range rq.fields {
		size += len(f.name) + len(f.value) + 4
	}
	c.out = lend(size)
	b := append(c.out[:0], rq.method...)
	b = append(b, ' ')
	b = append(b, c.route.uri...)
	if pass.HTTP11 {
		b = append(b, " HTTP/1.1\r\nHost: "...)
	} else {
		b = append(b, " HTTP/1.0\r\nHost: "...)
	}
	b = append(b, pass.Upstream.Name...)
	if !pass.KeepConnection {
		b = append(b, "\r\nConnection: close"...)
	}
	if rq.chunked || rq.length >= 0 {
		b = append(b, "\r\nContent-Length: "...)
		b = strconv.AppendInt(b, c.body.size, 10)
	}
	b = append(b, "\r\n"...)
	for _, f := range rq.fields {
		if !passedOn(f.name) {
			continue
		}
		b = append(b, f.name...)
		b = append(b, ": "...)
		b = append(b, f.value...)
		b = append(b, "\r\n"...)
	}
	b = append(b, "\r\n"...)
	b = append(b, c.body.mem[:c.body.n]...)
	c.body.forgetMemory()
	c.out = b
}

// passedOn is false for the headers that nginx sets or empties itself
// (ngx_http_proxy_headers).
func passedOn(name []byte) bool {
	switch len(name) {
	case 2:
		return !is(name, "TE")
	case 4:
		return !is(name, "Host")
	case 6:
		return !is(name, "Expect")
	case 7:
		return !is(name, "Upgrade")
	case 10:
		return !is(name, "Connection") && !is(name, "Keep-Alive")
	case 14:
		return !is(name, "Content-Length")
	case 17:
		return !is(name, "Transfer-Encoding")
	}
	return true
}
