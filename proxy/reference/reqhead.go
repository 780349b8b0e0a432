package reference

import (
	"bytes"

	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/nginxconf"
	"github.com/nolive/nolive/proxy/upstream"
	"github.com/nolive/nolive/proxy/wire"
)

// request is a client's request head, scanned. Its slices are valid until the
// buffer is read into again.
type request struct {
	method string
	target []byte
	// host is the one that the target names, else that of the Host header.
	host, hostHeader []byte
	fields           []wire.Field // all that nginx would pass on or look at
	id               event.Request
	// length is Content-Length, -1 for none.
	length    int64
	chunked   bool
	badLength bool   // Content-Length is none
	coding    []byte // a Transfer-Encoding that isn't chunked
	http11    bool
	nine      bool // HTTP/0.9: a line alone, answered by a body alone
	keepAlive bool
	size      int  // of the head, in bytes
	expect    bool // waits for 100 Continue
	head      bool // HEAD: the answer has no body
	upgrade   bool // wants another protocol
	unique    nginxconf.Unique
	terms     terms
}

// terms are what a request is held to.
type terms struct {
	version upstream.Version
	names   wire.Names
	// limits says whether there is a limit to the number of its headers: most.
	limits bool
	most   int
}

func termsOf(v upstream.Version, h *nginxconf.Heads) terms {
	return terms{version: v, names: wire.Names{Underscores: h.Underscores, Odd: h.Odd, Lax: !v.RefusesOddNames()}, limits: v.LimitsHeaders(), most: h.Most}
}

// begin forgets the request before.
func (rq *request) begin() { *rq = request{fields: rq.fields[:0], length: -1, terms: rq.terms} }

// headEnd finds the end of a head: the length with its empty line, 0 while it
// is incomplete. Scanning goes on at from, the start of a line, and says where
// it has to go on. status is the answer to a head that is too big, 0 for none.
func headEnd(b []byte, from int, most *nginxconf.Heads) (end, next, status int) {
	for {
		i := bytes.IndexByte(b[from:], '\n')
		if i < 0 {
			if len(b)-from > most.Line || len(b) >= most.Whole {
				return 0, from, tooLong(b, from)
			}
			return 0, from, 0
		}
		if i > most.Line {
			return 0, from, tooLong(b, from)
		}
		if i == 0 || i == 1 && b[from] == '\r' {
			return from + i + 1, from, 0
		}
		from += i + 1
	}
}

// tooLong is 414 for the request line, else nginx's 494.
func tooLong(b []byte, from int) int {
	if bytes.IndexByte(b[:from], '\n') < 0 {
		return 414
	}
	return headTooLarge
}

// headTooLarge is NGX_HTTP_REQUEST_HEADER_TOO_LARGE, sent as 400.
const headTooLarge = 494

// scan reads a whole head, up to its empty line, as
// ngx_http_process_request_line and _headers do. status is the answer to one
// that nginx refuses, 0 for none.
func (rq *request) scan(head []byte) (status int) {
	if status := rq.lines(head); status != 0 || rq.nine {
		return status
	}
	return rq.consistent()
}

// lines reads the lines of a head, which may still lack some: nginx refuses one as
// soon as it is there.
func (rq *request) lines(head []byte) (status int) {
	rq.begin()
	line, rest := wire.CutLine(head)
	if status := rq.requestLine(line); status != 0 || rq.nine {
		return status
	}
	rq.keepAlive = rq.http11
	for {
		line, rest = wire.CutLine(rest)
		if len(line) == 0 {
			break
		}
		f, ok, bad := rq.terms.names.HeaderLine(line)
		status := 0
		if bad {
			status = 400
		} else if ok && rq.full() {
			status = headTooLarge
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
	return 0
}

// full says whether it has as many headers as max_headers lets in.
func (rq *request) full() bool { return rq.terms.limits && len(rq.fields) >= rq.terms.most }

// field is the first header with a name.
func (rq *request) field(name string) (f wire.Field) {
	for _, f := range rq.fields {
		if wire.Is(f.Name, name) {
			return f
		}
	}
	return f
}

// note takes in what a header means for the proxy itself.
func (rq *request) note(f wire.Field) int {
	if rq.unique.Repeats(rq.terms.version, f.Name) {
		return 400
	}
	switch len(f.Name) {
	case 2:
		if wire.Is(f.Name, "TE") {
			return 0
		}
	case 4:
		if wire.Is(f.Name, "Host") {
			if rq.hostHeader != nil {
				// Before 1.17.9 it had to be a host, and the first line counted.
				if _, ok := nginxconf.HostOf(rq.terms.version, string(f.Value)); !ok {
					return 400
				}
				return 0
			}
			if rq.hostHeader = f.Value; rq.hostHeader == nil {
				rq.hostHeader = []byte{}
			}
			if rq.host == nil {
				rq.host = rq.hostHeader
			}
		}
	case 6:
		if wire.Is(f.Name, "Expect") {
			rq.expect = wire.Is(f.Value, "100-continue")
		}
	case 7:
		if wire.Is(f.Name, "Upgrade") {
			rq.upgrade = true
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
			if ok {
				rq.length = n
			}
			rq.badLength = !ok
		}
	case 17:
		if wire.Is(f.Name, "Transfer-Encoding") && !rq.chunked && rq.coding == nil {
			if rq.chunked = wire.Is(f.Value, "chunked"); !rq.chunked {
				rq.coding = f.Value
			}
		}
	}
	if len(f.Name) == len(event.RequestHeader) && wire.Is(f.Name, event.RequestHeader) {
		rq.id, _ = event.ParseRequest(string(f.Value))
	}
	return 0
}

// consistent is ngx_http_process_request_header.
func (rq *request) consistent() int {
	v := rq.terms.version
	coded := rq.chunked || rq.coding != nil
	if wire.Is(rq.coding, "identity") && !v.RefusesSecondCoding() {
		rq.coding = nil
	}
	switch {
	case rq.http11 && rq.hostHeader == nil, rq.badLength:
		return 400
	case rq.method == "TRACE" && !v.RefusesConnect():
		return 405 // whatever its framing
	case coded && !rq.http11 && v.RefusesChunksOf10(),
		rq.chunked && rq.length >= 0 && v.RefusesLengthOfChunks():
		return 400
	case rq.coding != nil:
		rq.length = -1
		return 501
	case rq.method == "CONNECT" && v.RefusesConnect(), rq.method == "TRACE":
		return 405
	case rq.chunked:
		rq.length = -1
	}
	rq.expect = rq.expect && rq.http11
	return 0
}
