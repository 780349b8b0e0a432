package answer_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/nolive/nolive/harness/answer"
	"github.com/nolive/nolive/harness/event"
)

const (
	length  = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"
	chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
	open    = "HTTP/1.1 200 OK\r\n\r\n"
	hints   = "HTTP/1.1 103 Early Hints\r\n\r\n"
)

var (
	errWaits = errors.New("the connection goes on")
	errReset = errors.New("connection reset by peer")
)

// read is what becomes of bytes behind which the connection ends, or doesn't.
func read(method string, bytes io.Reader, then error) answer.Answer {
	r := answer.NewReader()
	r.Reset(io.MultiReader(bytes, iotest.ErrReader(then)))
	return r.Read(method, make([]byte, 64))
}

// A client that has made up its mind doesn't wait for the end of the connection; one
// that hasn't tells how it ended.
func TestRead(t *testing.T) {
	for _, c := range []struct {
		name, bytes string
		method      string
		// goesOn, closed and reset are what the client says when that is behind the bytes.
		goesOn, closed, reset event.Outcome
		status                int
	}{
		{"whole", length + "hello", "GET", event.Passed, event.Passed, event.Passed, 200},
		{"whole with more behind it", length + "hello" + open, "GET", event.Passed, event.Passed, event.Passed, 200},
		{"whole without a body", length, "HEAD", event.Passed, event.Passed, event.Passed, 200},
		{"whole in chunks", chunked + "5\r\nhello\r\n0\r\n\r\n", "GET", event.Passed, event.Passed, event.Passed, 200},
		{"whole behind an interim one", hints + length + "hello", "GET", event.Passed, event.Passed, event.Passed, 200},
		{"a body to the end", open + "hello", "GET", 0, event.Passed, event.Truncated, 200},
		{"a part of the body", length + "hell", "GET", 0, event.Truncated, event.Truncated, 200},
		{"a part of the chunks", chunked + "5\r\nhello\r\n", "GET", 0, event.Truncated, event.Truncated, 200},
		{"a part of the header", length[:30], "GET", 0, event.Truncated, event.Truncated, 200},
		{"a part of the first line", length[:10], "GET", 0, event.Closed, event.Closed, 0},
		{"an interim one alone", hints, "GET", 0, event.Closed, event.Closed, 0},
		{"nothing", "", "GET", 0, event.Closed, event.Closed, 0},
		{"another protocol", "HTTP/1.1 101 Switching Protocols\r\n\r\nhello", "GET", 0, event.Passed, event.Passed, 101},
		{"no HTTP", "hello\n", "GET", event.InvalidHeader, event.InvalidHeader, event.InvalidHeader, 0},
		{"no header line", "HTTP/1.1 200 OK\r\nhello\r\n\r\n", "GET", event.InvalidHeader, event.InvalidHeader, event.InvalidHeader, 200},
		{"no chunk", chunked + "?\r\n", "GET", event.Truncated, event.Truncated, event.Truncated, 200},
	} {
		for then, want := range map[error]event.Outcome{errWaits: c.goesOn, io.EOF: c.closed, errReset: c.reset} {
			ended := then
			if c.goesOn != 0 {
				ended = nil
			}
			for pieces, bytes := range map[string]io.Reader{"at once": strings.NewReader(c.bytes), "byte by byte": iotest.OneByteReader(strings.NewReader(c.bytes))} {
				a := read(c.method, bytes, then)
				if want != 0 && a.Outcome != want || a.Status != c.status || a.Nothing != (c.bytes == "") {
					t.Errorf("%s, %s, then %v: %+v, want %v %d", c.name, pieces, then, a, want, c.status)
				}
				if a.Err != ended {
					t.Errorf("%s, %s, then %v: ended by %v", c.name, pieces, then, a.Err)
				}
			}
		}
	}
}

// A header may have 1 MiB, whatever pieces it comes in.
func TestHeaderThatIsTooLong(t *testing.T) {
	head := func(size int) string {
		const begin, end = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nA: ", "\r\n\r\n"
		return begin + strings.Repeat("a", size-len(begin)-len(end)) + end
	}
	for size, want := range map[int]event.Outcome{1 << 20: event.Passed, 1<<20 + 1: event.InvalidHeader} {
		for pieces, bytes := range map[string]io.Reader{"at once": strings.NewReader(head(size)), "in halves": iotest.HalfReader(strings.NewReader(head(size)))} {
			if a := read("GET", bytes, errWaits); a.Outcome != want || a.Err != nil {
				t.Errorf("%d bytes %s: %+v, want %v", size, pieces, a, want)
			}
		}
	}
}

// What a header says of its body is known before any of that is read.
func TestHead(t *testing.T) {
	for bytes, want := range map[string]answer.Head{
		length:         {Status: 200, Length: 5},
		hints + length: {Status: 200, Length: 5},
		chunked:        {Status: 200, Length: -1, Chunked: true},
		open:           {Status: 200, Length: -1},
		length[:30]:    {},
		"hello\n":      {},
	} {
		r := answer.NewReader()
		r.Reset(io.MultiReader(strings.NewReader(bytes), iotest.ErrReader(errWaits)))
		if got, ok := r.Head("GET"); got != want || ok != (want != answer.Head{}) {
			t.Errorf("%q: %+v %v, want %+v", bytes, got, ok, want)
		}
	}
}

// A connection that carries one request after the other is read answer by answer, and
// kept as long as nothing lies behind one.
func TestKeep(t *testing.T) {
	r := answer.NewReader()
	r.Reset(nil)
	if a := r.Read("GET", make([]byte, 64)); a.Outcome != event.Closed || a.Err != io.EOF || a.Keep {
		t.Errorf("on no connection: %+v", a)
	}
	for bytes, keep := range map[string]bool{
		length + "hello":          true,
		length + "hello" + length: false,
		"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n": false,
		"HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n":                      false,
	} {
		if a := read("GET", strings.NewReader(bytes), errWaits); a.Outcome != event.Passed || a.Keep != keep {
			t.Errorf("%q: %+v", bytes, a)
		}
	}
}
