package live

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
	"strconv"

	"github.com/nolive/nolive/harness/event"
)

// answer is what a client got.
type answer struct {
	outcome event.Outcome
	status  int
	// keep is true when the connection may carry another request.
	keep bool
	// nothing is true when not a byte of an answer came.
	nothing bool
}

// readAnswer reads the answer to req, past any 1xx that comes first.
func (c *conn) readAnswer(req *http.Request) answer {
	c.in.n, c.in.limit = 0, maxHead
	for {
		status, err := c.firstLine()
		if err != nil {
			out := event.Closed
			if c.in.err == nil { // it goes on, but it isn't HTTP
				out = event.InvalidHeader
			}
			return answer{outcome: c.ended(out), nothing: c.in.n == 0}
		}
		resp, err := http.ReadResponse(c.br, req)
		if err != nil {
			out := event.Truncated
			if c.in.err == nil {
				out = event.InvalidHeader
			}
			return answer{outcome: c.ended(out), status: status}
		}
		if resp.StatusCode/100 == 1 && resp.StatusCode != http.StatusSwitchingProtocols {
			continue
		}
		c.in.limit = 0
		a := answer{outcome: event.Passed, status: resp.StatusCode}
		if resp.StatusCode == http.StatusSwitchingProtocols {
			// What it is now is none of ours: it is over when it ends.
			c.drain(c.br)
			a.outcome = c.ended(event.Passed)
			return a
		}
		if !c.drain(resp.Body) {
			a.outcome = c.ended(event.Truncated)
			return a
		}
		a.keep = !resp.Close && c.in.err == nil && c.br.Buffered() == 0
		return a
	}
}

// ended is out, unless it was our own deadline that ended the connection.
func (c *conn) ended(out event.Outcome) event.Outcome {
	if errors.Is(c.in.err, os.ErrDeadlineExceeded) {
		return event.ClientTimeout
	}
	return out
}

// firstLine waits until the first line of an answer is there, leaves it where
// it is, and returns the status in it, 0 when it has none. http.ReadResponse
// alone can't tell a connection that ended before the status line from one that
// ended inside the header.
func (c *conn) firstLine() (int, error) {
	for n := 1; ; n = c.br.Buffered() + 1 {
		if _, err := c.br.Peek(n); err != nil {
			if err == bufio.ErrBufferFull {
				return 0, err
			}
			if c.in.err == nil {
				c.in.err = err
			}
			return 0, err
		}
		b, _ := c.br.Peek(c.br.Buffered())
		if i := bytes.IndexByte(b, '\n'); i >= 0 {
			return lineStatus(b[:i]), nil
		}
	}
}

// lineStatus is the code in "HTTP/1.1 200 OK".
func lineStatus(line []byte) int {
	if len(line) < 12 || line[8] != ' ' {
		return 0
	}
	n, err := strconv.Atoi(string(line[9:12]))
	if err != nil {
		return 0
	}
	return n
}

// drain reads a body to its end and says whether it came whole.
func (c *conn) drain(body io.Reader) bool {
	b := c.scratch[:cap(c.scratch)]
	for {
		if _, err := body.Read(b); err == io.EOF {
			return true
		} else if err != nil {
			return false
		}
	}
}
