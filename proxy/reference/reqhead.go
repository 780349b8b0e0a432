package reference

import (
	"bytes"

	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/wire"
)

// The limits of large_client_header_buffers 4 8k.
const (
	maxLine = 8 << 10
	maxHead = 32 << 10
)

// request is a client's request head, scanned. Its slices are valid until the
// buffer is read into again.
type request struct {
	method string
	target []byte
	host   []byte
	fields []wire.Field // all that nginx would pass on or look at
	id     event.Request
	// length is Content-Length, -1 for none.
	length    int64
	chunked   bool
	http11    bool
	keepAlive bool
	size      int  // of the head, in bytes
	expect    bool // waits for 100 Continue
	head      bool // HEAD: the answer has no body
}

// headEnd finds the end of a head: the length with its empty line, 0 while it
// is incomplete. Scanning goes on at from, the start of a line, and says where
// it has to go on. status is the answer to a head that is too big, 0 for none.
func headEnd(b []byte, from int) (end, next, status int) {
	for {
		i := bytes.IndexByte(b[from:], '\n')
		if i < 0 {
			if len(b)-from > maxLine || len(b) >= maxHead {
				return 0, from, tooLong(b, from)
			}
			return 0, from, 0
		}
		if i > maxLine {
			return 0, from, tooLong(b, from)
		}
		if i == 0 || i == 1 && b[from] == '\r' {
			return from + i + 1, from, 0
		}
		from += i + 1
	}
}

// tooLong is 414 for the request line, else nginx's 494, sent as 400.
func tooLong(b []byte, from int) int {
	if bytes.IndexByte(b[:from], '\n') < 0 {
		return 414
	}
	return 400
}

// scan reads a whole head, up to its empty line, as
// ngx_http_process_request_line and _headers do. status is the answer to one
// that nginx refuses, 0 for none.
func (rq *request) scan(head []byte) (status int) {
	*rq = request{fields: rq.fields[:0], length: -1}
	line, rest := wire.CutLine(head)
	if status := rq.requestLine(line); status != 0 {
		return status
	}
	rq.keepAlive = rq.http11
	for {
		line, rest = wire.CutLine(rest)
		if len(line) == 0 {
			break
		}
		f, ok, bad := wire.HeaderLine(line)
		status := 0
		if bad {
			status = 400
		} else if ok {
			status = rq.note(f)
		}
		if status != 0 {
			rq.length = -1 // nginx reads it behind the last header
			return status
		}
		if !ok {
			continue
		}
		rq.fields = append(rq.fields, f)
	}
	return rq.consistent()
}

func (rq *request) requestLine(line []byte) int {
	i := bytes.IndexByte(line, ' ')
	if i <= 0 {
		return 400
	}
	if rq.method = method(line[:i]); rq.method == "" {
		return 400
	}
	rq.head = rq.method == "HEAD"
	target := bytes.TrimLeft(line[i:], " ")
	j := bytes.IndexByte(target, ' ')
	if j <= 0 {
		return 400
	}
	target, version := target[:j], bytes.Trim(target[j:], " ")
	if len(version) < 8 || string(version[:5]) != "HTTP/" {
		return 400
	}
	switch {
	case string(version) == "HTTP/1.1":
		rq.http11 = true
	case string(version) == "HTTP/1.0":
	case version[5] == '1' && version[6] == '.' && allDigits(version[7:]):
		rq.http11 = true
	case version[5] >= '2' && version[5] <= '9' && version[6] == '.':
		return 505
	default:
		return 400
	}
	for _, c := range target {
		if c <= ' ' || c == 0x7f {
			return 400
		}
	}
	if target[0] != '/' {
		// Absolute form: its host wins over the Host header.
		k := bytes.Index(target, []byte("://"))
		if k <= 0 {
			return 400
		}
		target = target[k+3:]
		k = bytes.IndexAny(target, "/?")
		if k < 0 {
			rq.host, target = target, []byte("/")
		} else {
			rq.host, target = target[:k], target[k:]
		}
		if len(rq.host) == 0 || target[0] != '/' {
			return 400
		}
	}
	rq.target = target
	if rq.method == "CONNECT" || rq.method == "TRACE" {
		return 405
	}
	return 0
}

// note takes in what a header means for the proxy itself.
func (rq *request) note(f wire.Field) int {
	switch len(f.Name) {
	case 2:
		if wire.Is(f.Name, "TE") {
			return 0
		}
	case 4:
		if wire.Is(f.Name, "Host") && rq.host == nil {
			rq.host = f.Value
		}
	case 6:
		if wire.Is(f.Name, "Expect") {
			rq.expect = wire.Is(f.Value, "100-continue")
		}
	case 10:
		if wire.Is(f.Name, "Connection") {
			switch {
			case wire.Contains(f.Value, "close"):
				rq.keepAlive = false
			case wire.Contains(f.Value, "keep-alive"):
				rq.keepAlive = true
			}
		}
	case 14:
		if wire.Is(f.Name, "Content-Length") {
			n, ok := wire.Number(f.Value)
			if !ok || rq.length >= 0 {
				return 400
			}
			rq.length = n
		}
	case 17:
		if wire.Is(f.Name, "Transfer-Encoding") {
			if !wire.Is(f.Value, "chunked") {
				return 501
			}
			rq.chunked = true
		}
	}
	if len(f.Name) == len(event.RequestHeader) && wire.Is(f.Name, event.RequestHeader) {
		rq.id, _ = event.ParseRequest(string(f.Value))
	}
	return 0
}

// consistent is ngx_http_process_request_header.
func (rq *request) consistent() int {
	switch {
	case rq.http11 && rq.host == nil,
		rq.chunked && rq.length >= 0,
		rq.chunked && !rq.http11:
		return 400
	}
	rq.expect = rq.expect && rq.http11
	return 0
}

// method returns the method, without allocating for the usual ones; "" when
// nginx would refuse it.
func method(b []byte) string {
	switch string(b) {
	case "GET":
		return "GET"
	case "HEAD":
		return "HEAD"
	case "POST":
		return "POST"
	case "PUT":
		return "PUT"
	case "DELETE":
		return "DELETE"
	case "PATCH":
		return "PATCH"
	case "OPTIONS":
		return "OPTIONS"
	}
	for _, c := range b {
		if (c < 'A' || c > 'Z') && c != '_' && c != '-' {
			return ""
		}
	}
	return string(b)
}

func allDigits(b []byte) bool {
	for _, c := range b {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(b) > 0
}
