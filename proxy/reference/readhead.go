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
	deadline := time.Time{}
	var h halter = c
	if c.served > 0 && c.in.empty() {
		h = between{c}
		c.doing.Store(idling)
		deadline = c.later(c.rules.Idle)
	}
	from, began := c.in.r, false
	pipelined := c.served > 0 && !c.in.empty()
	c.rq = request{fields: c.rq.fields[:0], length: -1, names: c.rq.names}
	for {
		if b := c.in.unread(); len(b) > 0 {
			if !began {
				// Empty lines before the request line are passed over.
				k := 0
				for k < len(b) && (b[k] == '\r' || b[k] == '\n') {
					k++
				}
				c.in.r += k
				b, from = b[k:], c.in.r
				if c.account != nil && len(b) > 0 {
					c.account.open(pipelined)
				}
			}
			end, next, bad := headEnd(b, from-c.in.r, &c.heads)
			from = c.in.r + next
			if bad != 0 {
				if c.account != nil {
					c.account.refused(b, bad)
				}
				return bad, nil
			}
			if end == 0 && len(b) > 0 {
				status := 0
				if end, status = c.early(b, next); status != 0 {
					if c.account != nil {
						if next == 0 {
							next = len(b)
						}
						c.account.refused(b[:next], status)
					}
					return status, nil
				}
			}
			if end > 0 {
				c.in.r += end
				status := c.rq.scan(b[:end])
				c.rq.size = end
				if status == 0 {
					status = c.invalid()
				}
				c.rq.keepAlive = c.rq.keepAlive && status == 0
				switch {
				case c.account == nil:
				case status != 0:
					c.account.refused(b[:end], status)
				default:
					c.account.request(b[:end])
					c.account.ignored()
				}
				return status, nil
			}
			if !began && len(b) > 0 {
				began, h = true, c
				c.doing.Store(readingRequest)
				deadline = c.later(c.heads.Timeout)
			}
		}
		if deadline.IsZero() {
			deadline = c.later(c.heads.Timeout)
		}
		if c.in.empty() {
			c.in.rest()
			from = 0
		} else if c.in.full() {
			from -= c.in.r
			if c.in.r > 0 {
				c.in.compact()
			} else {
				c.in.grow(max(streamSize, c.in.size, c.heads.Whole+page))
			}
		}
		if err := c.sock.read(&c.in, deadline, h); err != nil {
			if c.account != nil {
				c.account.unread(err)
			}
			return 0, err // nginx sends nothing
		}
	}
}

// early looks at a head that isn't whole, of which the lines up to next are: nginx
// doesn't wait for the rest of one that it refuses. end is where a request of
// HTTP/0.9 ends, 0 for any other.
func (c *client) early(b []byte, next int) (end, status int) {
	if next == 0 {
		if !methodSoFar(b) {
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
	rq, last := &c.rq, &c.route
	if string(rq.target) != last.target && !nginxconf.ValidTarget(string(rq.target)) {
		return 400
	}
	for _, h := range [...][]byte{rq.host, rq.hostHeader} {
		if h == nil || len(h) > 0 && string(h) == last.host {
			continue
		}
		if _, ok := nginxconf.HostOf(string(h)); !ok {
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
