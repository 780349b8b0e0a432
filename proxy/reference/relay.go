package reference

import (
	"cmp"
	"io"
	"math"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/upstream"
	"github.com/nolive/nolive/proxy/wire"
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

	body wire.Body
	// unbuffered is true when all is passed on as it comes.
	unbuffered bool
	// wrap is true when the client gets chunks.
	wrap bool
	// forgives is true where nobody minds more than the whole response.
	forgives bool
	// extra is true once there was more than the whole response.
	extra bool
	// read is the timer of what is read from the backend.
	read upstream.Timer
	// begun is true once something went to the client.
	begun bool
}

// run passes the response in c.rs and c.rb on and ends the attempt.
func (r *relay) run() {
	c := r.c
	c.doing.Store(passing)
	// Nothing more of the request is sent once the answer is on its way
	// (ngx_http_upstream_send_request_handler).
	// What still comes of a body is passed on all the same.
	if c.coming() == nil {
		r.attempt.quiet()
	}
	if !r.attempt.sent.IsZero() {
		r.read.Add(c.proxy.clock.At(r.attempt.sent), r.attempt.pass.ReadTimeout)
	}
	if r.unbuffered = r.attempt.pass.Unbuffered; !r.attempt.pass.Ignores("x-accel-buffering") {
		r.unbuffered = c.rs.Buffering.Unbuffered(r.unbuffered)
	}
	r.frame()
	c.wb = r.head(lend(page + page/2)[:0])
	if c.account != nil {
		c.account.sentHead(c.wb, r.attempt.pass)
		if !r.bodyless() {
			c.account.headSize = c.rs.At
		}
	}
	c.rb.r = c.rs.At
	if r.upgrades() {
		r.upgrade()
		return
	}
	if r.attempt.pass.IgnoreClientAbort && len(c.wb) >= postponed && !r.body.Complete && !r.forward(nil) {
		return
	}
	r.extra = r.bodyless() && !c.rb.empty()
	version := c.proxy.config.Version
	r.forgives = r.body.Chunked() && version.KeepsBehindChunks() || r.unbuffered && r.body.Complete && version.KeepsBehindNothing()
	if r.unbuffered && !r.begun && !r.body.Complete && c.rb.empty() && !r.forward(nil) {
		return // the head doesn't wait for a body
	}
	if r.body.Starved() && !r.unbuffered {
		r.closed()
		return
	}
	if !r.body.Complete && c.rb.full() && !r.gulp() {
		return
	}
	for {
		data, err := r.filter(false)
		if err != nil {
			r.cut(event.InvalidHeader, nil, dropHead)
			return
		}
		if r.body.Complete {
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

// filter takes what may be passed on out of the buffer: full pages, and an
// unfilled one when it holds all that is known to come or at the end. The data
// are valid until the buffer is read into again.
func (r *relay) filter(end bool) (data []byte, err error) {
	in := &r.c.rb
	start := in.r
	out := in.b[start:start]
	for {
		b := in.unread()
		n := r.body.Ready(len(b), end || r.unbuffered)
		if n == 0 {
			break
		}
		k, used, err := r.body.Decode(b[:n])
		if r.body.Chunked() {
			out = append(out, b[:k]...) // to where the framing was
		} else {
			out = out[:len(out)+k] // it lies there already
		}
		in.r += used
		if err != nil {
			return out, err
		}
	}
	r.extra = r.extra || r.body.Over || r.body.Complete && !in.empty() && !r.forgives
	return out, nil
}

// more reads on. It returns false when the exchange is over.
func (r *relay) more() bool {
	c := r.c
	in := &c.rb
	in.resize(r.room())
	clock, limit := c.proxy.clock, r.attempt.pass.ReadTimeout
	now := time.Now()
	at := clock.At(now)
	r.read.Add(at, limit)
	deadline := now.Add(clock.Real(r.read.At() - at))
	err := r.attempt.up.read(in, deadline, c)
	if err == errTimeout {
		c.late(deadline)
	}
	return r.goesOn(err)
}

// gulp reads what is there behind a header whose page is full before anything
// is written, as nginx does. It returns false when the exchange is over.
func (r *relay) gulp() bool {
	in := &r.c.rb
	in.resize(r.room())
	err := r.attempt.up.readReady(in)
	return err == unix.EAGAIN || r.goesOn(err)
}

// goesOn ends the exchange for the error of a read, if it is one.
func (r *relay) goesOn(err error) bool {
	switch err {
	case nil:
		return true
	case errSignal: // the sending is over, however
		r.attempt.sendingOver()
		if r.c.body.status() == 0 {
			return true
		}
		r.aborted(err)
	case errHalted:
		r.aborted(err)
	case io.EOF:
		r.closed()
	case errTimeout:
		r.cut(event.ReadTimeout, nil, keepHead)
	default:
		r.cut(event.Reset, nil, keepHead)
	}
	return false
}

// closed handles the backend's FIN: the end of a response without length, else
// the end of a truncated one.
func (r *relay) closed() {
	data, err := r.filter(true)
	switch {
	case err != nil:
		r.cut(event.InvalidHeader, data, dropHead)
	case !r.body.Framed():
		r.c.rs.Keep = false
		r.body.Complete = true
		r.finish(data)
	case r.body.Complete:
		r.c.rs.Keep = false
		r.finish(data)
	default:
		r.cut(event.Closed, data, keepHead)
	}
}

// forward writes data, with the head if it is still to go. It returns false
// when the exchange is over because the client is.
func (r *relay) forward(data []byte) bool {
	var err error
	for err == nil {
		n := min(r.piece(), len(data))
		if err = r.write(data[:n], false); err == nil && n == len(data) {
			return true
		}
		data = data[n:]
	}
	if err == errHalted || !r.attempt.pass.IgnoreClientAbort {
		r.aborted(err)
		return false
	}
	switch rest := r.rest(); rest {
	case nil:
		r.release(event.Passed)
		r.c.unwritten()
		r.c.answered(r.logged())
	case unix.EAGAIN:
		r.aborted(err)
	default:
		r.goesOn(rest)
	}
	return false
}

// postponed is nginx's postpone_output: a head of that size doesn't wait for a body.
const postponed = 1460

// piece is how much goes out with the next write. It counts where a client may have left:
// to that one the first write succeeds and the second doesn't. nginx writes when
// proxy_busy_buffers_size is full, with proxy_buffering off what one buffer holds, of
// which the first one has the head, too.
func (r *relay) piece() int {
	pass := r.attempt.pass
	first := cmp.Or(pass.BufferSize, page)
	switch {
	case !pass.IgnoreClientAbort:
		return math.MaxInt
	case !r.unbuffered:
		return cmp.Or(pass.BusyBuffers, 2*max(first, cmp.Or(pass.Buffers, page)))
	case !r.begun:
		return max(first-r.c.rs.At, 1)
	}
	return first
}

// rest reads all that is missing of the response: nginx reads on when a write fails while
// something is there, and is done with the backend when that was all, whether there is a
// client or not. With proxy_buffering off it doesn't. What comes at once are 64 KiB, of
// which a half has been read: a backend that is as fast as we are could go on for ever.
// unix.EAGAIN: not all has come.
func (r *relay) rest() error {
	if r.unbuffered {
		return unix.EAGAIN
	}
	in, came := &r.c.rb, 0
	for !r.body.Complete {
		if r.c.halted() {
			return errHalted
		}
		in.resize(r.room())
		before := len(in.unread())
		if err := r.attempt.up.readReady(in); err != nil {
			return err
		}
		if came += len(in.unread()) - before; came > r.room() {
			return unix.EAGAIN
		}
		if _, err := r.filter(false); err != nil {
			return unix.EAGAIN
		}
	}
	return nil
}

// room is how much is read at once: a full page has to fit.
func (r *relay) room() int {
	return max(streamSize, r.attempt.pass.BufferSize, r.attempt.pass.Buffers)
}

// write writes data, behind whatever waits in c.wb; end is true for the last of it.
func (r *relay) write(data []byte, end bool) error {
	c := r.c
	if len(c.wb) > 0 || r.wrap {
		r.pack(data, end)
		data = c.wb
	}
	r.begun = true
	err := c.sock.write(data, c.sendLimit(), c)
	c.wb = c.wb[:0]
	return err
}

// pack appends data to what is to be written, as a chunk if the client gets them, and
// the last chunk at the end.
func (r *relay) pack(data []byte, end bool) {
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
	if r.wrap && end {
		b = append(b, "0\r\n\r\n"...)
	}
	r.c.wb = b
}
