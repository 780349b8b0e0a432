package sim

import (
	"errors"
	"io"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/answer"
	"github.com/nolive/nolive/harness/event"
)

// clients is what simulated clients read with that get a backend's bytes as they are:
// the code of those on sockets, since what isn't HTTP is theirs to find. One at a time
// reads, so one is for all.
type clients struct {
	reader  *answer.Reader
	scratch []byte
	// plain is what plainly found so far, and last what it was asked last: mostly it is
	// asked the same again.
	plain     map[question]bool
	last      question
	lastPlain bool
}

// question is all that a client's reading depends on.
type question struct {
	script *fault.Script
	method string
}

// errGoesOn is for a connection on which nothing more has come but might.
var errGoesOn = errors.New("the connection goes on")

// told is what the client makes of so many bytes of its answer, false while it waits
// for more.
func (c *clients) told(q question, got int64) (event.Outcome, int, bool) {
	if q.script == nil || got == 0 {
		return 0, 0, false
	}
	if !c.plainly(q) {
		a := c.read(q, got, errGoesOn)
		return a.Outcome, a.Status, a.Err != errGoesOn
	}
	r := &q.script.Response
	switch end := r.End(); {
	case got < r.HeadEnd():
	case r.Status == 101: // a client of another protocol waits for nothing but the end
	case q.method == "HEAD", end >= 0 && got >= end: // whatever length is announced
		return event.Passed, r.Status, true
	}
	return 0, 0, false
}

// left is what the client makes of so many bytes of its answer when the connection
// ends in order behind them.
func (c *clients) left(q question, got int64) (event.Outcome, int) {
	if q.script == nil || got == 0 {
		return event.Closed, 0
	}
	r := &q.script.Response
	switch {
	case got < r.HeadEnd(), !c.plainly(q):
		a := c.read(q, got, io.EOF)
		return a.Outcome, a.Status
	case r.End() < 0:
		return event.Passed, r.Status
	}
	return event.Truncated, r.Status
}

// plainly says whether a client reads the answer as its script says that it is: then
// it need not be read, however large it is.
func (c *clients) plainly(q question) bool {
	if c.last == q {
		return c.lastPlain
	}
	plain, ok := c.plain[q]
	if !ok {
		plain = c.isPlain(q)
		if c.plain == nil || len(c.plain) >= maxReadings {
			c.plain = map[question]bool{}
		}
		c.plain[q] = plain
	}
	c.last, c.lastPlain = q, plain
	return plain
}

// isPlain reads the head.
func (c *clients) isPlain(q question) bool {
	r := &q.script.Response
	c.receive(r, r.HeadEnd(), errGoesOn)
	h, ok := c.reader.Head(q.method)
	if !ok || h.Status != r.Status {
		return false
	}
	chunks := r.Body.Chunks != nil
	return q.method == "HEAD" || r.Status == 101 || h.Chunked == chunks && (chunks || h.Length == r.Announced)
}

// read is what the client makes of the first n bytes, and then that.
func (c *clients) read(q question, n int64, then error) answer.Answer {
	c.receive(&q.script.Response, n, then)
	return c.reader.Read(q.method, c.scratch)
}

// receive lets the reader have the first n bytes, and then that.
func (c *clients) receive(r *fault.Response, n int64, then error) {
	if c.reader == nil {
		c.reader, c.scratch = answer.NewReader(), make([]byte, 4<<10)
	}
	c.reader.Reset(&received{response: r, n: n, then: then})
}

// received is the first n bytes of a response, and then an error.
type received struct {
	response *fault.Response
	off, n   int64
	then     error
}

var _ io.Reader = (*received)(nil)

// Read gives the next bytes.
func (r *received) Read(p []byte) (int, error) {
	n := min(int64(len(p)), r.n-r.off)
	if n <= 0 {
		return 0, r.then
	}
	r.response.Append(p[:0], r.off, n)
	r.off += n
	return int(n), nil
}
