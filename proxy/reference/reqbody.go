package reference

import (
	"os"

	"github.com/nolive/nolive/proxy/nginxconf"
	"github.com/nolive/nolive/proxy/wire"
)

// bodyInMemory is client_body_buffer_size, 16 KiB on 64 bit. A larger body goes to a
// temporary file that has no name.
const bodyInMemory = 16 << 10

// body is a request body, read whole.
type body struct {
	mem  []byte // borrowed
	n    int    // bytes in mem
	file *os.File
	size int64
	raw  int64 // bytes that it took on the wire
	// rest is what is still to come, nil for a body that was read whole.
	rest *upload
	more int64 // of a chunk that makes it too large
	// gone is true when the client left in it, or was silent for too long: then it
	// gets no answer.
	gone bool
}

// add takes more of the body in.
func (b *body) add(p []byte) error {
	b.size += int64(len(p))
	if b.file == nil && b.n+len(p) <= bodyInMemory {
		if b.mem == nil {
			b.mem = lend(bodyInMemory)
		}
		b.n += copy(b.mem[b.n:], p)
		return nil
	}
	if b.file == nil {
		f, err := os.CreateTemp("", "nolive-body-*")
		if err != nil {
			return err
		}
		// Without a name it goes when its descriptor does, whatever happens.
		_ = os.Remove(f.Name())
		b.file = f
		if _, err := f.Write(b.mem[:b.n]); err != nil {
			return err
		}
		b.forgetMemory()
	}
	_, err := b.file.Write(p)
	return err
}

func (b *body) forgetMemory() {
	if b.mem != nil {
		giveBack(b.mem)
	}
	b.mem, b.n = nil, 0
}

// status is what was wrong with the part that was passed on as it came, 0 for nothing.
func (b *body) status() int {
	if b.rest == nil {
		return 0
	}
	return b.rest.status
}

// drop releases everything.
func (b *body) drop() {
	b.forgetMemory()
	if b.file != nil {
		_ = b.file.Close()
	}
	if b.rest != nil {
		b.rest.from.drop()
	}
	*b = body{}
}

// readBody reads the body of the request whose head was just read: whole, unless
// pass, nil for none, streams it. status is the proxy's answer when it can't, 0
// when all is well.
func (c *client) readBody(pass *nginxconf.Pass) (status int) {
	rq := &c.rq
	if !rq.chunked && rq.length <= 0 {
		return 0
	}
	if rq.expect {
		if c.sock.write([]byte("HTTP/1.1 100 Continue\r\n\r\n"), c.sendLimit(), c) != nil {
			return 400
		}
	}
	// The head's buffer stays as it is: the request that is passed on is made
	// from it once the length is known.
	from := &buffer{size: streamSize}
	defer from.drop()
	here := c.in.unread()
	if !rq.chunked && int64(len(here)) > rq.length {
		here = here[:rq.length]
	}
	from.w = copy(from.space(), here)
	c.in.r += len(here)
	if pass != nil && pass.Streams(rq.chunked) {
		return c.readAhead(from, int64(len(here)), pass)
	}
	if !rq.chunked {
		return c.readCounted(from)
	}
	if status := c.readChunked(from); status != 0 {
		return status
	}
	c.unread(from.unread())
	return 0
}

// readCounted reads a body of known length, and nothing behind it.
func (c *client) readCounted(from *buffer) int {
	for {
		c.body.raw += int64(len(from.unread()))
		if c.body.add(from.unread()) != nil {
			return 500
		}
		left := c.rq.length - c.body.size
		if left == 0 {
			return 0
		}
		// Not only b is made shorter: waiting gives it back.
		from.drop()
		from.size = int(min(left, streamSize))
		if status := c.readMore(from); status != 0 {
			return status
		}
	}
}

// readChunked reads a chunked body.
func (c *client) readChunked(from *buffer) int {
	d := c.rq.chunks()
	for {
		n, used, err := d.Decode(from.unread())
		c.body.raw += int64(used)
		if err != nil {
			return 400
		}
		if more := int64(n) + d.Left(); c.body.size+more > c.route.way.BodyLimit() {
			c.body.more = more
			return 413
		}
		if c.body.add(from.unread()[:n]) != nil {
			return 500
		}
		from.r += used
		if d.Done {
			return 0
		}
		from.r, from.w = 0, 0
		if status := c.readMore(from); status != 0 {
			return status
		}
	}
}

// chunks is what reads the request's body where it comes in chunks.
func (rq *request) chunks() wire.Chunks {
	return wire.ChunksOf(rq.terms.version)
}

func (c *client) readMore(from *buffer) int {
	switch err := c.sock.read(from, c.later(c.rules.Body), c); err {
	case nil:
		return 0
	case errTimeout:
		c.body.gone = true
		return 408
	default:
		c.body.gone = true
		return 400 // nginx logs 400 for a client that left in its body
	}
}

// unread puts bytes of the next, pipelined request back. The head that was
// scanned stays where it is, because its slices are still in use.
func (c *client) unread(b []byte) {
	if len(b) == 0 {
		return
	}
	if len(c.in.b)-c.in.w < len(b) {
		c.in = buffer{size: streamSize, b: lend(streamSize)}
	}
	c.in.w += copy(c.in.b[c.in.w:], b)
}
