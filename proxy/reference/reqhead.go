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

func (rq *request) requestLine(line []byte) int {
	i := bytes.IndexByte(line, ' ')
	if i <= 0 {
		return 400
	}
	if rq.method = rq.methodOf(line[:i]); rq.method == "" {
		return 400
	}
	rq.head = rq.method == "HEAD"
	target, version := rq.cutTarget(bytes.TrimLeft(line[i:], " "))
	if len(target) == 0 {
		return 400
	}
	for _, c := range target {
		if (c <= ' ' || c == 0x7f) && (c == 0 || c == '\r' || rq.terms.version.RefusesOddTargets()) {
			return 400
		}
	}
	switch {
	case rq.method == "CONNECT" && rq.terms.version.ConnectNamesHost():
		// Its path is that of "http://host:port".
		if rq.host, target = target, []byte("/"); !rq.connects(rq.host) || len(version) == 0 {
			return 400
		}
	case target[0] != '/':
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
		if !rq.hostSoFar(rq.host) || target[0] != '/' && !rq.terms.version.TakesBareQuery() {
			return 400
		}
	}
	if status := rq.version(version); status != 0 {
		return status
	}
	rq.target = target
	if rq.nine && rq.method != "GET" {
		return 400
	}
	return 0
}

// cutTarget splits what follows the method. Before 1.21.1 a space was part of the
// target unless nothing or an "H" came behind it (sw_check_uri_http_09).
func (rq *request) cutTarget(b []byte) (target, version []byte) {
	for from := 0; ; {
		i := bytes.IndexByte(b[from:], ' ')
		if i < 0 {
			return b, nil
		}
		i += from
		rest := bytes.TrimLeft(b[i:], " ")
		if len(rest) == 0 || rest[0] == 'H' || rq.terms.version.RefusesOddTargets() {
			return b[:i], bytes.TrimRight(rest, " ")
		}
		from = len(b) - len(rest)
	}
}

// version reads what follows the target; nothing is HTTP/0.9.
func (rq *request) version(v []byte) int {
	switch {
	case len(v) == 0:
		rq.nine = true
	case len(v) < 8 || string(v[:5]) != "HTTP/":
		return 400
	case string(v) == "HTTP/1.1":
		rq.http11 = true
	case string(v) == "HTTP/1.0":
	case v[5] == '1' && v[6] == '.' && allDigits(v[7:]):
		rq.http11 = true
	case !rq.terms.version.RefusesHTTP2() && laterVersion(v[5:]):
		rq.http11 = true
	case v[5] >= '2' && v[5] <= '9' && v[6] == '.':
		return 505
	default:
		return 400
	}
	return 0
}

// laterVersion says whether a version, behind "HTTP/", is 2.0 or a later one.
func laterVersion(v []byte) bool {
	major, minor, _ := bytes.Cut(v, []byte("."))
	return allDigits(major) && allDigits(minor) && len(major) < 3 && len(minor) < 3 && major[0] != '0' && string(major) != "1"
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

// methodOf returns the method, without allocating for the usual ones; "" when
// nginx would refuse it.
func (rq *request) methodOf(b []byte) string {
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
		if !rq.inMethod(c) {
			return ""
		}
	}
	return string(b)
}

// inMethod says whether a method may have a byte.
func (rq *request) inMethod(c byte) bool {
	return c >= 'A' && c <= 'Z' || c == '_' || c == '-' && rq.terms.version.TakesDashesInMethods()
}

func allDigits(b []byte) bool {
	for _, c := range b {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(b) > 0
}

// connects says whether CONNECT may have a target: a host and a port.
func (rq *request) connects(b []byte) bool {
	end := bytes.IndexByte(b, ':')
	if len(b) > 0 && b[0] == '[' {
		end = bytes.IndexByte(b, ']') + 1
	}
	return end >= 0 && end < len(b) && b[end] == ':' && rq.hostSoFar(b) && (end+1 == len(b) || allDigits(b[end+1:]))
}

// hostSoFar says whether a request line may have a host, and a port (sw_host to
// sw_port of ngx_http_parse_request_line). Whether it is one is looked at later.
func (rq *request) hostSoFar(b []byte) bool {
	if len(b) > 0 && b[0] == '[' {
		return true
	}
	b, port, _ := bytes.Cut(b, []byte(":"))
	for _, c := range b {
		if c != '.' && c != '-' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			return false
		}
	}
	if v := rq.terms.version; v.ConnectNamesHost() && !v.RefusesOddHosts() {
		// 1.29.3 counted; since then it is refused as a host.
		if n, ok := wire.Number(port); len(port) > 0 && (!ok || n > 65535) {
			return false
		}
	}
	return len(port) == 0 || allDigits(port)
}

// methodSoFar says whether what there is of a request line may go on: its method
// has none but capital letters.
func (rq *request) methodSoFar(b []byte) bool {
	for _, c := range b {
		switch {
		case c == ' ':
			return true
		case !rq.inMethod(c):
			return false
		}
	}
	return true
}
