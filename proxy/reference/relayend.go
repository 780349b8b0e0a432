package reference

import (
	"cmp"

	"github.com/nolive/nolive/harness/event"
)

// finish ends the exchange, then writes the last bytes: who gets them finds the
// connection and the peer free, as on nginx, where one loop does both.
func (r *relay) finish(data []byte) {
	c := r.c
	if c.halted() {
		r.aborted(errHalted)
		return
	}
	if r.unbuffered && len(data) > r.piece() {
		first, each := r.piece(), cmp.Or(r.attempt.pass.BufferSize, page)
		last := first + (len(data)-first-1)/each*each
		if !r.forward(data[:last]) {
			return
		}
		data = data[last:]
	}
	r.release(event.Passed)
	if r.write(data, true) != nil {
		c.unwritten()
	}
	c.answered(r.logged())
}

// logged is the status in nginx's access log: 9 for an HTTP/0.9 answer, which
// it prints as 009.
func (r *relay) logged() int {
	if r.c.rs.Raw {
		return 9
	}
	return r.c.route.way.Status(r.c.rs.Status)
}

// discard ends the exchange of a response that something else takes the place
// of. Its connection is kept only if there was no body to read
// (ngx_http_proxy_process_header).
func (r *relay) discard() {
	rs := &r.c.rs
	r.attempt.quiet()
	r.extra = len(r.c.rb.b) > 0 && r.c.rb.w-r.c.rb.r > rs.At
	if !r.bodyless() && (rs.Chunked || rs.Length != 0) {
		rs.Keep = false
	}
	r.release(event.Passed)
}

// release ends the attempt and keeps the backend connection if it may be kept.
func (r *relay) release(o event.Outcome) {
	c, up := r.c, r.attempt.up
	sent := r.attempt.over()
	up.requests++
	keep := r.n.cache != nil && c.rs.Keep && !c.rs.Raw && !r.extra && sent
	if keep {
		up.watch()
	}
	drop := up
	r.n.lock(c)
	now := r.n.clock.Now()
	if keep {
		r.read.Add(now, r.attempt.pass.ReadTimeout) // as after every read
		drop = r.n.keep(up, r.peer, r.attempt.pass.Number, now, r.read)
	}
	c.model.End(now, o, c.rs.Status)
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
	if c.account != nil {
		if head == dropHead {
			c.account.broken = true
			c.account.cause.text = "upstream sent invalid chunked response"
		}
	}
	r.n.lock(c)
	c.model.Cut(r.n.clock.Now(), how, c.rs.Status)
	r.n.mu.Unlock()
	r.attempt.up.close()
	if head == keepHead {
		_ = r.write(data, false)
	}
	c.answered(r.logged())
}

// aborted ends the exchange because the client left or doesn't take its
// response. nginx logs 499 only when it saw the client leave before anything
// went to it.
func (r *relay) aborted(err error) {
	c := r.c
	c.rq.keepAlive = false
	if c.account != nil {
		c.account.left()
	}
	r.attempt.over()
	r.n.end(c, event.Aborted, c.rs.Status)
	r.attempt.up.close()
	status := r.logged()
	if err == errHalted && !r.begun {
		status = 499
	}
	c.answered(status)
}
