package reference

import (
	"bytes"
	"time"

	"github.com/nolive/nolive/proxy/nginxconf"
)

// later is the real instant at which a time-out of the configuration passes.
func (c *client) later(d time.Duration) time.Time { return time.Now().Add(c.proxy.clock.Real(d)) }

// readHead reads a request's head and scans it. status is the proxy's answer to
// a bad one; an error ends the connection without a word.
func (c *client) readHead() (status int, err error) {
	h := heading{client: c, from: c.in.r, pipelined: c.served > 0 && !c.in.empty()}
	c.rq.begin()
	deadline, waits := time.Time{}, halter(c)
	if c.served > 0 && c.in.empty() {
		deadline, waits = c.later(c.rules.Idle), between{c}
		c.doing.Store(idling)
	}
	for {
		if !c.in.empty() {
			if status, over := h.look(); over {
				return status, nil
			}
			if !h.began && !c.in.empty() {
				h.began = true
				deadline, waits = c.later(c.heads.Timeout), c
				c.doing.Store(readingRequest)
			}
		}
		if deadline.IsZero() {
			deadline = c.later(c.heads.Timeout)
		}
		h.room()
		if err := c.sock.read(&c.in, deadline, waits); err != nil {
			if c.account != nil {
				c.account.unread(err)
			}
			return 0, err // nginx sends nothing
		}
	}
}

// heading is the reading of one head.
type heading struct {
	*client
	// from is where in the buffer the scan goes on: the start of a line.
	from int
	// began is true once its first byte is there, pipelined when that came with the
	// request before.
	began, pipelined bool
}

// look looks at what was read. over is true when that decides: the head is whole, or
// the proxy's answer to it is status.
func (h *heading) look() (status int, over bool) {
	if !h.began {
		h.skipEmptyLines()
	}
	b := h.in.unread()
	if len(b) == 0 {
		return 0, false
	}
	end, next, status := headEnd(b, h.from-h.in.r, &h.heads)
	h.from = h.in.r + next
	if end == 0 && status == 0 {
		if end, status = h.early(b, next); status != 0 && next > 0 {
			b = b[:next]
		}
	}
	switch {
	case status != 0:
		if h.account != nil {
			h.account.refused(b, status)
		}
		return status, true
	case end > 0:
		return h.whole(b[:end]), true
	}
	return 0, false
}

// skipEmptyLines passes over those before the request line.
func (h *heading) skipEmptyLines() {
	b := h.in.unread()
	k := 0
	for k < len(b) && (b[k] == '\r' || b[k] == '\n') {
		k++
	}
	h.in.r += k
	h.from = h.in.r
	if h.account != nil && k < len(b) {
		h.account.open(h.pipelined)
	}
}

// whole takes a whole head in.
func (h *heading) whole(head []byte) (status int) {
	h.in.r += len(head)
	status = h.rq.lines(head)
	h.rq.size = len(head)
	if status == 0 {
		status = h.invalid()
	}
	if status == 0 && !h.rq.nine {
		status = h.rq.consistent()
	}
	h.rq.keepAlive = h.rq.keepAlive && status == 0
	switch {
	case h.account == nil:
	case status != 0:
		h.account.refused(head, status)
	default:
		h.account.request(head)
		h.account.ignored()
	}
	return status
}

// room makes room in the buffer for more of the head.
func (h *heading) room() {
	switch {
	case h.in.empty():
		h.in.rest()
		h.from = 0
	case h.in.full():
		h.from -= h.in.r
		if h.in.r > 0 {
			h.in.compact()
		} else {
			h.in.grow(max(streamSize, h.in.size, h.heads.Whole+page))
		}
	}
}

// early looks at a head that isn't whole, of which the lines up to next are: nginx
// doesn't wait for the rest of one that it refuses. end is where a request of
// HTTP/0.9 ends, 0 for any other.
func (c *client) early(b []byte, next int) (end, status int) {
	if next == 0 {
		if !c.rq.methodSoFar(b) {
			return 0, 400
		}
		return 0, 0
	}
	status = c.rq.lines(b[:next])
	if status == 0 && c.rq.nine {
		end = bytes.IndexByte(b, '\n') + 1
	}
	return end, status
}

// invalid is 400 where the target or a host can't be. Those of the request before
// are looked at no more.
func (c *client) invalid() int {
	rq, last, v := &c.rq, &c.route, c.rq.terms.version
	if string(rq.target) != last.target && !nginxconf.ValidTarget(v, string(rq.target)) {
		return 400
	}
	for _, h := range [...][]byte{rq.host, rq.hostHeader} {
		if h == nil || len(h) > 0 && string(h) == last.host {
			continue
		}
		if _, ok := nginxconf.HostOf(v, string(h)); !ok {
			return 400
		}
	}
	return 0
}

// answerAndLinger gives the connection's last answer while the client may still be
// sending.
func (c *client) answerAndLinger(status int) {
	c.logsLate = true
	c.answer(status)
	c.linger()
	if c.account != nil {
		c.account.over()
	}
}

// linger lets the client read an answer that came before all of its request
// was read: closing at once would reset the connection and might destroy it
// (lingering_close).
func (c *client) linger() {
	c.doing.Store(lingering)
	if !c.discard() || c.conn.CloseWrite() != nil {
		return
	}
	deadline := c.later(c.rules.Linger)
	for {
		c.in.r, c.in.w = 0, 0
		if c.sock.read(&c.in, deadline, c) != nil {
			return
		}
	}
}

// discard reads the rest of a body that nobody wants. Until it is there the
// client isn't told that the connection ends (ngx_http_discard_request_body).
func (c *client) discard() bool {
	left := c.rq.length - c.body.raw - int64(len(c.in.unread()))
	for left > 0 {
		c.in.r, c.in.w = 0, 0
		if c.sock.read(&c.in, c.later(c.rules.Linger), c) != nil {
			return false
		}
		left -= int64(c.in.w)
	}
	return true
}

// sendLimit is send_timeout in real time.
func (c *client) sendLimit() time.Duration { return c.proxy.clock.Real(c.rules.Send) }
