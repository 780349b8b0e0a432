package reference

import (
	"io"
	"strconv"

	"github.com/nolive/nolive/harness/event"
)

// relay passes one response on. nginx fills pages of 4 KiB, header included,
// and hands a page on when it is full, or when it holds all that is known to
// come (ngx_event_pipe_read_upstream); the response header goes out with the
// first of them. So a reset or a time-out loses what lies in an unfilled page,
// while the backend's FIN flushes it.
type relay struct {
	c       *client
	n       *node
	peer    int
	attempt *attempt

	// left is what is missing of Content-Length, -1 when the length isn't known.
	left   int64
	chunks chunks
	// room is what is left of the page that is being filled.
	room int
	// wrap is true when the client gets chunks.
	wrap bool
	// complete is true once the whole response was read; extra once there was
	// more than that.
	complete, extra bool
	// begun is true once something went to the client.
	begun bool
}

// run passes the response in c.rs and c.rb on and ends the attempt.
func (r *relay) run() {
	c := r.c
	c.doing.Store(passing)
	// Nothing more of the request is sent once the answer is on its way
	// (ngx_http_upstream_send_request_handler).
	r.attempt.quiet()
	r.frame()
	c.wb = r.head(lend(page + page/2)[:0])
	r.room = page - c.rs.at
	c.rb.r = c.rs.at
	if r.bodyless() {
		r.complete, r.extra = true, !c.rb.empty()
	}
	for {
		data, err := r.filter(false)
		if err != nil {
			r.cut(event.Closed, nil, dropHead)
			return
		}
		if r.complete {
			r.finish(data)
			return
		}
		if len(data) > 0 && !r.forward(data) {
			return
		}
		if !r.more() {
			return
		}
	}
}

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
	b = append(b, rs.text...)
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
	return append(b, "\r\n\r\n"...)
}

// filter takes what may be passed on out of the buffer: full pages, and an
// unfilled one when it holds all that is known to come or at the end. The data
// are valid until the buffer is read into again.
func (r *relay) filter(end bool) (data []byte, err error) {
	in := &r.c.rb
	start := in.r
	out := in.b[start:start]
	for !r.complete && !in.empty() {
		b := in.unread()
		n := len(b)
		switch {
		case end:
		case n >= r.room:
			n = r.room + (n-r.room)/page*page
		case !r.expected(n):
			return out, nil
		}
		r.room = page
		k, err := r.take(b[:n], &out)
		in.r += k
		if err != nil {
			return out, err
		}
	}
	r.extra = r.extra || r.complete && !in.empty()
	return out, nil
}

// expected says whether n bytes are all that is known to come.
func (r *relay) expected(n int) bool {
	switch {
	case r.c.rs.chunked:
		return int64(n) >= r.chunks.need()
	case r.left >= 0:
		return int64(n) >= r.left
	}
	return false
}

// take decodes b, appends its data to out, which lies before it in memory, and
// says how much of it was used.
func (r *relay) take(b []byte, out *[]byte) (used int, err error) {
	switch {
	case r.c.rs.chunked:
		n, used, err := r.chunks.decode(b)
		*out = append(*out, b[:n]...)
		r.complete = r.chunks.done
		return used, err
	case r.left >= 0:
		used = int(min(int64(len(b)), r.left))
		r.left -= int64(used)
		r.complete = r.left == 0
	default:
		used = len(b)
	}
	*out = (*out)[:len(*out)+used] // it lies there already
	return used, nil
}

// more reads on. It returns false when the exchange is over.
func (r *relay) more() bool {
	c := r.c
	in := &c.rb
	in.resize(streamSize)
	deadline := c.later(r.attempt.pass.ReadTimeout)
	for {
		switch err := r.attempt.up.read(in, deadline, c); err {
		case nil:
			return true
		case errSignal:
			continue // the rest of the request went out
		case errHalted:
			r.aborted(err)
		case io.EOF:
			r.closed()
		case errTimeout:
			c.late(deadline)
			r.cut(event.ReadTimeout, nil, keepHead)
		default:
			r.cut(event.Reset, nil, keepHead)
		}
		return false
	}
}

// closed handles the backend's FIN: the end of a response without length, else
// the end of a truncated one.
func (r *relay) closed() {
	data, err := r.filter(true)
	switch {
	case err != nil:
		r.cut(event.Closed, data, dropHead)
	case !r.complete && r.left < 0 && !r.c.rs.chunked:
		r.c.rs.keep = false
		r.complete = true
		r.finish(data)
	case r.complete:
		r.c.rs.keep = false
		r.finish(data)
	default:
		r.cut(event.Closed, data, keepHead)
	}
}

// forward writes data, with the head if it is still to go. It returns false
// when the exchange is over because the client is.
func (r *relay) forward(data []byte) bool {
	if err := r.write(data); err != nil {
		r.aborted(err)
		return false
	}
	return true
}

// write writes data, behind whatever waits in c.wb.
func (r *relay) write(data []byte) error {
	c := r.c
	if len(c.wb) > 0 || r.wrap {
		r.pack(data)
		data = c.wb
	}
	r.begun = true
	err := c.sock.write(data, c.sendLimit(), c)
	c.wb = c.wb[:0]
	return err
}

// pack appends data to what is to be written, as a chunk if the client gets them.
func (r *relay) pack(data []byte) {
	const frame = 32
	b := r.c.wb
	if cap(b)-len(b) < len(data)+frame {
		b = append(lend(len(b) + len(data) + frame)[:0], b...)
		giveBack(r.c.wb)
	}
	if r.wrap && len(data) > 0 {
		b = strconv.AppendInt(b, int64(len(data)), 16)
		b = append(b, "\r\n"...)
		b = append(b, data...)
		b = append(b, "\r\n"...)
	} else {
		b = append(b, data...)
	}
	if r.wrap && r.complete {
		b = append(b, "0\r\n\r\n"...)
	}
	r.c.wb = b
}

// finish ends the exchange, then writes the last bytes: who gets them finds the
// connection and the peer free, as on nginx, where one loop does both.
func (r *relay) finish(data []byte) {
	c := r.c
	if c.halted() {
		r.aborted(errHalted)
		return
	}
	r.release(event.Passed)
	if r.write(data) != nil {
		c.rq.keepAlive = false
	}
	c.answered(r.logged())
}

// logged is the status in nginx's access log: 9 for an HTTP/0.9 answer, which
// it prints as 009.
func (r *relay) logged() int {
	if r.c.rs.raw {
		return 9
	}
	return r.c.rs.status
}

// release ends the attempt and keeps the backend connection if it may be kept.
func (r *relay) release(o event.Outcome) {
	c, up := r.c, r.attempt.up
	sent := r.attempt.over()
	up.requests++
	keep := r.n.cache != nil && c.rs.keep && !c.rs.raw && !r.extra && sent
	if keep {
		up.watch()
	}
	drop := up
	r.n.mu.Lock()
	now := r.n.clock.Now()
	if keep {
		drop = r.n.keep(up, r.peer, now)
	}
	c.model.End(now, o, c.rs.status)
	r.n.mu.Unlock()
	if drop != nil {
		drop.close()
	}
}

// fate says what becomes of a head that wasn't sent when a response broke off.
type fate uint8

const (
	keepHead fate = iota
	dropHead      // nginx closes without flushing after a broken chunk
)

// cut ends a response that broke off: the client gets what is left to pass on,
// and the end of its connection.
func (r *relay) cut(how event.Outcome, data []byte, head fate) {
	c := r.c
	c.rq.keepAlive = false
	r.attempt.over()
	r.n.mu.Lock()
	c.model.Cut(r.n.clock.Now(), how, c.rs.status)
	r.n.mu.Unlock()
	r.attempt.up.close()
	if head == keepHead {
		_ = r.write(data)
	}
	c.answered(r.logged())
}

// aborted ends the exchange because the client left or doesn't take its
// response. nginx logs 499 only when it saw the client leave before anything
// went to it.
func (r *relay) aborted(err error) {
	c := r.c
	c.rq.keepAlive = false
	r.attempt.over()
	r.n.end(&c.model, event.Aborted, c.rs.status)
	r.attempt.up.close()
	status := r.logged()
	if err == errHalted && !r.begun {
		status = 499
	}
	c.answered(status)
}
