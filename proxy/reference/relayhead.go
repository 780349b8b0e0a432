package reference

import (
	"strconv"
)

// bodyless is true when the response has no body whatever its head says.
func (r *relay) bodyless() bool {
	rs := &r.c.rs
	return r.c.rq.head || rs.status == 204 || rs.status == 304
}

// frame decides how long the response is and how the client is told.
func (r *relay) frame() {
	c := r.c
	rs := &c.rs
	r.left = rs.length
	if rs.chunked {
		r.left = -1
	}
	if r.left == 0 {
		r.complete = true
	}
	switch {
	case r.left >= 0 || r.bodyless():
	case rs.raw:
		c.rq.keepAlive = false
	case rs.status < 200 || !c.rq.http11:
		// nginx 1.22 takes an interim response for the final one.
		c.rq.keepAlive = false
	default:
		r.wrap = true
	}
}

// head makes the client's response head, in nginx's order.
func (r *relay) head(b []byte) []byte {
	c := r.c
	rs := &c.rs
	if rs.raw {
		return b
	}
	b = append(b, "HTTP/1.1 "...)
	status := c.route.way.Status(rs.status)
	if status != rs.status {
		b = append(b, statusText(status)...)
	} else {
		b = append(b, rs.text...)
	}
	b = append(b, "\r\nServer: "+serverName+"\r\nDate: "...)
	b = c.proxy.date.append(b)
	if rs.contentType != nil {
		b = append(append(b, "\r\nContent-Type: "...), rs.contentType...)
	}
	if !rs.chunked && rs.length >= 0 {
		b = append(b, "\r\nContent-Length: "...)
		b = strconv.AppendInt(b, rs.length, 10)
	}
	if rs.lastModified != nil {
		b = append(append(b, "\r\nLast-Modified: "...), rs.lastModified...)
	}
	if rs.location != nil {
		b = append(append(b, "\r\nLocation: "...), rs.location...)
	} else if l := c.route.way.Redirect(); l != "" {
		b = append(append(b, "\r\nLocation: "...), c.route.way.Absolute(l, c.vars.Server.IP, c.vars.Server.Port)...)
	}
	if r.wrap {
		b = append(b, "\r\nTransfer-Encoding: chunked"...)
	}
	b = c.connectionHeader(b)
	for _, f := range rs.fields {
		b = append(b, "\r\n"...)
		b = append(b, f.name...)
		b = append(b, ": "...)
		b = append(b, f.value...)
	}
	b = c.added(b, status)
	return append(b, "\r\n\r\n"...)
}
