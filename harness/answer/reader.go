package answer

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"strconv"

	"github.com/nolive/nolive/harness/event"
)

// Answer is what a client got.
type Answer struct {
	// Outcome is Passed, Truncated, Closed (before a whole line came) or InvalidHeader.
	Outcome event.Outcome
	// Status is that of the final response, or of the header that broke off; 0 without.
	Status int
	// Keep is true when the connection may carry another request.
	Keep bool
	// Nothing is true when not a byte of an answer came.
	Nothing bool
	// Err is how the connection ended, as its reader told it, where that ended the
	// answer too: io.EOF for an orderly end, which may be that of the body. It is nil
	// when the client had made up its mind before.
	Err error
}

// Head is what a final header says of the body behind it.
type Head struct {
	Status int
	// Length is the number of bytes, -1 when chunks or the connection's end tell.
	Length  int64
	Chunked bool
}

// maxHead is how many bytes of one answer may come before its header is over.
const maxHead = 1 << 20

var errHead = errors.New("header over 1 MiB")

// Reader reads the answers on one connection after the other. Reset comes first.
type Reader struct {
	in input
	br *bufio.Reader
	// question is what the parser of responses has to know of a request.
	question http.Request
}

// NewReader returns a reader for which no connection was set.
func NewReader() *Reader {
	r := &Reader{}
	r.br = bufio.NewReaderSize(&r.in, 4<<10)
	return r
}

// Reset begins another connection; nil is none, on which nothing comes.
func (r *Reader) Reset(conn io.Reader) {
	r.in = input{conn: conn}
	if conn == nil {
		r.in.err = io.EOF
	}
	r.br.Reset(&r.in)
}

// Read reads the answer to a request with the method, past any 1xx that comes first;
// what is in its body goes through scratch, which may not be empty. After an Answer
// without Keep the connection is of no use.
func (r *Reader) Read(method string, scratch []byte) Answer {
	resp, a := r.header(method)
	switch {
	case resp == nil:
		return a
	case resp.StatusCode == http.StatusSwitchingProtocols:
		// What it is now is none of ours: it is over when it ends.
		drain(r.br, scratch)
	case !drain(resp.Body, scratch):
		a.Outcome = event.Truncated
	default:
		a.Keep = !resp.Close && r.in.err == nil && r.br.Buffered() == 0
	}
	a.Err = r.in.err
	return a
}

// Head reads up to the end of the final header, false when there is none. What is
// behind it stays.
func (r *Reader) Head(method string) (Head, bool) {
	resp, _ := r.header(method)
	if resp == nil {
		return Head{}, false
	}
	return Head{resp.StatusCode, resp.ContentLength, len(resp.TransferEncoding) > 0}, true
}

// header reads the final header. Without one the Answer is complete.
func (r *Reader) header(method string) (*http.Response, Answer) {
	r.in.n, r.in.limit = 0, maxHead
	r.question.Method = method
	for {
		status, err := r.firstLine()
		if err != nil {
			return nil, Answer{Outcome: r.broken(event.Closed), Nothing: r.in.n == 0, Err: r.in.err}
		}
		resp, err := http.ReadResponse(r.br, &r.question)
		if err != nil {
			return nil, Answer{Outcome: r.broken(event.Truncated), Status: status, Err: r.in.err}
		}
		if resp.StatusCode/100 == 1 && resp.StatusCode != http.StatusSwitchingProtocols {
			continue
		}
		r.in.limit = 0
		return resp, Answer{Outcome: event.Passed, Status: resp.StatusCode}
	}
}

// broken is how an answer ends without a header: as said, or, when the connection
// goes on, by what is no HTTP.
func (r *Reader) broken(out event.Outcome) event.Outcome {
	if r.in.err == nil {
		return event.InvalidHeader
	}
	return out
}

// firstLine waits until the first line of an answer is there, leaves it where
// it is, and returns the status in it, 0 when it has none. http.ReadResponse
// alone can't tell a connection that ended before the status line from one that
// ended inside the header.
func (r *Reader) firstLine() (int, error) {
	for n := 1; ; n = r.br.Buffered() + 1 {
		if _, err := r.br.Peek(n); err != nil {
			if err == bufio.ErrBufferFull {
				return 0, err
			}
			if r.in.err == nil {
				r.in.err = err
			}
			return 0, err
		}
		b, _ := r.br.Peek(r.br.Buffered())
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
func drain(body io.Reader, scratch []byte) bool {
	for {
		if _, err := body.Read(scratch); err == io.EOF {
			return true
		} else if err != nil {
			return false
		}
	}
}
