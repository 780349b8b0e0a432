package reference

import (
	"errors"
	"math"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/nolive/nolive/proxy/nginxconf"
	"github.com/nolive/nolive/proxy/wire"
)

// errBody: the client didn't send the rest of its body; upload.status says what
// nginx makes of that.
var errBody = errors.New("request body")

// upload is the part of a request's body that a backend gets as it comes
// (proxy_request_buffering off). Nobody keeps it, so it is sent once.
type upload struct {
	c *client
	// from holds what was read and isn't sent yet.
	from   buffer
	chunks wire.Chunks
	// done is true once all of the body was read, begun once some of it may have
	// been sent, spent once the pass that it belongs to is over.
	done, begun, spent bool
	// status is nginx's answer to what was wrong with it, 0 for nothing.
	status int
	frame  []byte
}

// readAhead reads what of the body is there already. If that isn't all, the rest
// is passed on as it comes.
func (c *client) readAhead(from *buffer, there int64, pass *nginxconf.Pass) (status int) {
	in := &upload{c: c, from: *from, chunks: c.rq.chunks()}
	*from = buffer{}
	limit := pass.Ahead(c.rq.size, there, c.rq.chunked)
	if status := in.takeSome(limit); status != 0 {
		in.from.drop()
		return status
	}
	for !in.done && c.body.raw < limit && c.rq.length <= limit {
		in.room(limit)
		switch err := c.sock.readReady(&in.from); err {
		case nil:
		case unix.EAGAIN:
			c.body.rest = in
			return 0
		default:
			in.from.drop()
			c.body.gone = true
			return 400
		}
		if status := in.take(); status != 0 {
			in.from.drop()
			return status
		}
	}
	if in.done {
		c.unread(in.from.unread())
		in.from.drop()
		return 0
	}
	c.body.rest = in
	return 0
}

// room makes room for what may be read next, up to so many bytes of the body: never
// for any of what is behind a counted one.
func (in *upload) room(limit int64) {
	if !in.c.rq.chunked {
		limit = in.c.rq.length
	}
	in.from.drop()
	in.from.size = int(min(limit-in.c.body.raw, streamSize))
}

// takeSome is take for at most so many bytes: more of them may have come with the head
// than nginx reads.
func (in *upload) takeSome(limit int64) (status int) {
	b := &in.from
	end := b.w
	some := b.r + int(min(limit, int64(end-b.r)))
	b.w = some
	status = in.take()
	if some < end {
		if !in.done {
			b.r = some
		}
		b.w = end
	}
	return status
}

// take moves what was read into the body.
func (in *upload) take() (status int) {
	data, status := in.decode()
	if status == 0 && in.c.body.add(data) != nil {
		return 500
	}
	return status
}

// decode is the data in what was read. It is valid until more is read.
func (in *upload) decode() (data []byte, status int) {
	c := in.c
	b := in.from.unread()
	if !c.rq.chunked {
		c.body.raw += int64(len(b))
		in.from.r, in.from.w = 0, 0
		in.done = c.body.raw == c.rq.length
		return b, 0
	}
	n, used, err := in.chunks.Decode(b)
	c.body.raw += int64(used)
	switch {
	case err != nil:
		return nil, 400
	case c.body.size+int64(n) > c.route.way.BodyLimit():
		c.body.more = int64(n) + in.chunks.Left()
		return nil, 413
	}
	in.done = in.chunks.Done
	if in.from.r += used; !in.done {
		in.from.r, in.from.w = 0, 0
	}
	return b[:n], 0
}

// passOn sends the rest to a backend as it comes. While nginx reads it, nobody
// watches whether the client leaves: its end in the middle of a body is an error,
// and one behind the body goes unnoticed if it came with it
// (ngx_http_upstream_read_request_handler).
func (in *upload) passOn(s *sender) error {
	c := in.c
	for !in.done {
		if in.from.empty() {
			if err := in.more(s); err != nil {
				return err
			}
		}
		data, status := in.decode()
		if status != 0 {
			in.status = status
			return errBody
		}
		c.body.size += int64(len(data))
		if err := s.up.write(in.framed(data), s.limit, s); err != nil {
			return err
		}
	}
	return nil
}

// more reads more of the body.
func (in *upload) more(s *sender) error {
	c := in.c
	in.room(math.MaxInt64)
	s.waits(true)
	err := c.sock.read(&in.from, c.later(c.rules.Body), s)
	s.waits(false)
	switch err {
	case nil, errHalted:
		return err
	}
	in.status, c.body.gone = 400, true
	if err == errTimeout {
		in.status = 408
	}
	return errBody
}

// framed is the data as the backend gets them.
func (in *upload) framed(data []byte) []byte {
	if !in.c.rq.chunked {
		return data
	}
	in.frame = appendChunk(in.frame[:0], data)
	if in.done {
		in.frame = append(in.frame, "0\r\n\r\n"...)
	}
	return in.frame
}

// appendChunk appends data as a chunk, and nothing for none.
func appendChunk(b, data []byte) []byte {
	if len(data) == 0 {
		return b
	}
	b = strconv.AppendInt(b, int64(len(data)), 16)
	b = append(b, "\r\n"...)
	b = append(b, data...)
	return append(b, "\r\n"...)
}

// coming is the rest of the body that an attempt has to send, nil for none.
func (c *client) coming() *upload {
	if in := c.body.rest; in != nil && !in.spent {
		return in
	}
	return nil
}

// firstChunk appends what has been read of a body in chunks, as one.
func (c *client) firstChunk(b []byte) []byte {
	body := &c.body
	if body.file == nil {
		return appendChunk(b, body.mem[:body.n])
	}
	all := make([]byte, body.size) // at most client_body_buffer_size
	n, _ := body.file.ReadAt(all, 0)
	return appendChunk(b, all[:n])
}
