package reference

import (
	"slices"
	"strconv"
	"strings"

	"github.com/nolive/nolive/proxy/nginxconf"
	"github.com/nolive/nolive/proxy/wire"
)

// compose makes the request as a backend gets it, with the body behind it if it
// is in memory (ngx_http_proxy_create_request). It is the same for every attempt.
func (c *client) compose(step nginxconf.Step) {
	rq, pass, way := &c.rq, step.Pass, &c.route.way
	if way.Discarded() {
		c.body.drop()
	}
	method := pass.RequestMethod(way)
	size := len(method) + len(step.URI) + len(pass.Upstream.Name) + 96 + c.body.n
	for _, f := range rq.fields {
		size += len(f.Name) + len(f.Value) + 4
	}
	c.out = lend(size)
	b := append(c.out[:0], method...)
	b = append(b, ' ')
	b = append(b, step.URI...)
	if pass.HTTP11 {
		b = append(b, " HTTP/1.1\r\n"...)
	} else {
		b = append(b, " HTTP/1.0\r\n"...)
	}
	pass.SetHeaders(way, func(name, value string) {
		b = append(b, name...)
		b = append(b, ": "...)
		b = append(b, value...)
		b = append(b, "\r\n"...)
	})
	content, set := pass.RequestBody(way)
	length := int64(len(content))
	rest := c.body.rest
	switch {
	case set:
	case rest == nil || rq.chunked && rest.done:
		length = c.body.size
	default:
		length = rq.length // -1 for chunks
	}
	switch {
	case length < 0:
		b = append(b, "Transfer-Encoding: chunked\r\n"...)
	case (set || rq.chunked || rq.length >= 0) && !pass.Sets(contentLength):
		b = append(b, "Content-Length: "...)
		b = strconv.AppendInt(b, length, 10)
		b = append(b, "\r\n"...)
	}
	for _, f := range rq.fields {
		if pass.NoRequestHeaders || !rq.passedOn(f.Name) || pass.Sets(f.Name) {
			continue
		}
		b = append(b, f.Name...)
		b = append(b, ": "...)
		b = append(b, f.Value...)
		b = append(b, "\r\n"...)
	}
	b = append(b, "\r\n"...)
	c.file = nil
	switch {
	case set:
		b = append(b, content...)
	case pass.NoRequestBody || rest != nil && rest.begun:
	case length < 0:
		b = c.firstChunk(b)
	default:
		b = append(b, c.body.mem[:c.body.n]...)
		c.file = c.body.file
	}
	if way.Last(pass) {
		c.body.forgetMemory()
	}
	c.out = b
}

var contentLength = []byte("Content-Length")

// added appends the lines of add_header, but for those that have taken the place of one
// of the backend's.
func (c *client) added(b []byte, status int, set []string) []byte {
	if way := &c.route.way; way.Adds() {
		way.Added(status, func(name, value string) {
			if slices.ContainsFunc(set, func(s string) bool { return strings.EqualFold(s, name) }) {
				return
			}
			b = append(b, "\r\n"...)
			b = append(b, name...)
			b = append(b, ": "...)
			b = append(b, value...)
		})
	}
	return b
}

// passedOn is false for the headers that nginx sets or empties itself
// (ngx_http_proxy_headers).
func (rq *request) passedOn(name []byte) bool {
	switch len(name) {
	case 2:
		return !wire.Is(name, "TE")
	case 4:
		return !wire.Is(name, "Host")
	case 6:
		return !wire.Is(name, "Expect")
	case 7:
		return !wire.Is(name, "Upgrade")
	case 10:
		return !wire.Is(name, "Connection") && !wire.Is(name, "Keep-Alive")
	case 16:
		return !wire.Is(name, "Proxy-Connection") || !rq.terms.version.DropsProxyConnection()
	case 14:
		return !wire.Is(name, "Content-Length")
	case 17:
		return !wire.Is(name, "Transfer-Encoding")
	}
	return true
}
