package reference

import (
	"cmp"
	"strconv"
)

// bodyless is true when the response has no body whatever its head says.
func (r *relay) bodyless() bool {
	rs := &r.c.rs
	return r.c.rq.head || rs.Status == 204 || rs.Status == 304
}

// frame decides how long the response is and how the client is told.
func (r *relay) frame() {
	c := r.c
	rs := &c.rs
	pass := r.attempt.pass
	r.body.Begin(rs, c.rq.head, rs.At, cmp.Or(pass.BufferSize, page), cmp.Or(pass.Buffers, page))
	switch {
	case r.body.Left() >= 0:
	case rs.Raw:
		c.rq.keepAlive = false
	case rs.Status < 200 && c.rq.http11:
		// An interim response that is taken for the final one has no chunks, and its
		// connection is kept all the same (ngx_http_chunked_header_filter).
	case !c.rq.http11:
		c.rq.keepAlive = false
	default:
		r.wrap = true
	}
}

// head makes the client's response head, in nginx's order.
func (r *relay) head(b []byte) []byte {
	c := r.c
	rs := &c.rs
	if rs.Raw || c.rq.nine {
		return b
	}
	pass := r.attempt.pass
	b = append(b, "HTTP/1.1 "...)
	status := c.route.way.Status(rs.Status)
	if way := &c.route.way; way.Status(0) != 0 { // also where it is the same
		b = append(b, statusText(status)...)
	} else {
		b = append(b, rs.Text...)
	}
	// Where the backend's own are shown and it has none, there is none
	// (ngx_http_upstream_process_headers).
	if pass.Hides(serverHeader) {
		b = append(b, "\r\nServer: "+serverName...)
	}
	if pass.Hides(dateHeader) {
		b = append(b, "\r\nDate: "...)
		b = c.proxy.date.append(b)
	}
	b = r.contentType(b)
	if !rs.Chunked && rs.Length >= 0 {
		b = append(b, "\r\nContent-Length: "...)
		b = strconv.AppendInt(b, rs.Length, 10)
	}
	location, early := r.location()
	if early != "" {
		b = append(append(b, "\r\nLocation: "...), early...)
	}
	if r.wrap {
		b = append(b, "\r\nTransfer-Encoding: chunked"...)
	}
	if rs.Status == 101 {
		b = append(b, "\r\nConnection: upgrade"...)
	} else {
		b = c.connectionHeader(b)
	}
	b = c.carried(b)
	if location != "" {
		b = append(append(b, "\r\nLocation: "...), location...)
	}
	b, set := r.fields(b, status)
	b = c.added(b, status, set)
	return append(b, "\r\n\r\n"...)
}
