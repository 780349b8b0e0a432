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
	b = append(b, "HTTP/1.1 "...)
	status := c.route.way.Status(rs.Status)
	if status != rs.Status {
		b = append(b, statusText(status)...)
	} else {
		b = append(b, rs.Text...)
	}
	b = append(b, "\r\nServer: "+serverName+"\r\nDate: "...)
	b = c.proxy.date.append(b)
	if rs.ContentType != nil {
		b = append(append(b, "\r\nContent-Type: "...), rs.ContentType...)
	}
	if !rs.Chunked && rs.Length >= 0 {
		b = append(b, "\r\nContent-Length: "...)
		b = strconv.AppendInt(b, rs.Length, 10)
	}
	if rs.LastModified != nil {
		b = append(append(b, "\r\nLast-Modified: "...), rs.LastModified...)
	}
	location, early := "", false
	if l := c.route.way.Redirect(); l != "" && rs.Location == nil {
		location = c.route.way.Absolute(l, c.vars.Server.IP, c.vars.Server.Port)
		early = location != l
	}
	if early {
		b = append(append(b, "\r\nLocation: "...), location...)
	}
	if r.wrap {
		b = append(b, "\r\nTransfer-Encoding: chunked"...)
	}
	if rs.Status == 101 {
		b = append(b, "\r\nConnection: upgrade"...)
	} else {
		b = c.connectionHeader(b)
	}
	if location != "" && !early {
		b = append(append(b, "\r\nLocation: "...), location...)
	}
	for _, f := range rs.Fields {
		b = append(b, "\r\n"...)
		b = append(b, f.Name...)
		b = append(b, ": "...)
		b = append(b, f.Value...)
	}
	b = c.added(b, status)
	return append(b, "\r\n\r\n"...)
}
