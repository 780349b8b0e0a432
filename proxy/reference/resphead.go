package reference

import "bytes"

// response is a backend's response head, scanned (ngx_http_proxy_process_status_line
// and _header, 1.22). Its slices point into the buffer.
type response struct {
	// status is the code; text is the status line behind the version, as it is
	// passed on.
	status int
	text   []byte
	// raw is true for an answer that doesn't begin with a status line: nginx
	// takes it for HTTP/0.9 and passes every byte on.
	raw    bool
	fields []field // in order, without those that end at the proxy
	// contentType, lastModified and location come first in nginx's answers.
	contentType, lastModified, location []byte
	// length is Content-Length, -1 for none.
	length  int64
	chunked bool
	// keep is true when the backend may keep the connection: it spoke HTTP/1.1
	// and didn't say close. nginx doesn't look at its own request header.
	keep bool

	// Where scanning goes on.
	at    int
	lines bool // the status line is done
}

// verdict is what a scan found.
type verdict uint8

const (
	more    verdict = iota // the head isn't complete
	whole                  // a whole head
	invalid                // nginx's "upstream sent invalid header"
)

// reset prepares for another attempt and keeps the memory.
func (rs *response) reset() { *rs = response{fields: rs.fields[:0], length: -1} }

// scan goes on with b, the bytes received so far from the first one. After
// whole, at is where the body starts.
func (rs *response) scan(b []byte) verdict {
	if !rs.lines {
		switch v := rs.statusLine(b); {
		case rs.raw:
			rs.status, rs.text, rs.keep, rs.at = 200, nil, false, 0
			return whole
		case v != whole:
			return v
		}
		rs.lines = true
	}
	for {
		i := bytes.IndexByte(b[rs.at:], '\n')
		if i < 0 {
			// A name is refused as soon as it can't become one.
			if rest := b[rs.at:]; !secondStatusLine(rest) && badName(rest) {
				return invalid
			}
			return more
		}
		line, _ := cutLine(b[rs.at : rs.at+i+1])
		start := rs.at
		rs.at += i + 1
		if len(line) == 0 {
			return whole
		}
		f, v := upstreamLine(line)
		if v == invalid {
			rs.at = start
			return invalid
		}
		if v == whole {
			rs.note(f)
		}
	}
}

// statusLine is ngx_http_parse_status_line. A first line that is none makes
// the answer raw, as soon as the first wrong byte is there.
func (rs *response) statusLine(b []byte) verdict {
	const prefix = "HTTP/"
	i := 0
	for ; i < len(prefix); i++ {
		if i == len(b) {
			return more
		}
		if b[i] != prefix[i] {
			return rs.nine()
		}
	}
	major, i, v := rs.digitsThen(b, i, '.')
	if v != whole {
		return v
	}
	if major == 0 {
		return rs.nine()
	}
	minor, i, v := rs.digitsThen(b, i, ' ')
	if v != whole {
		return v
	}
	for i < len(b) && b[i] == ' ' {
		i++
	}
	text := i
	status := 0
	for range 3 {
		if i == len(b) {
			return more
		}
		if b[i] < '0' || b[i] > '9' {
			return rs.nine()
		}
		status = status*10 + int(b[i]-'0')
		i++
	}
	if i == len(b) {
		return more
	}
	switch b[i] {
	case ' ', '.', '\r', '\n':
	default:
		return rs.nine()
	}
	end := bytes.IndexByte(b[i:], '\n')
	if end < 0 {
		if cr := bytes.IndexByte(b[i:], '\r'); cr >= 0 && i+cr+1 < len(b) {
			return rs.nine() // CR without LF
		}
		return more
	}
	line := b[text : i+end]
	if n := len(line); line[n-1] == '\r' {
		line = line[:n-1]
	}
	if bytes.IndexByte(line, '\r') >= 0 {
		return rs.nine()
	}
	rs.status, rs.text, rs.at = status, line, i+end+1
	rs.keep = major > 1 || minor >= 1
	return whole
}

// nine makes the answer one of HTTP/0.9.
func (rs *response) nine() verdict {
	rs.raw = true
	return invalid
}

// digitsThen reads a number that ends with c.
func (rs *response) digitsThen(b []byte, i int, c byte) (n, next int, v verdict) {
	for start := i; i < len(b); i++ {
		switch {
		case b[i] == c && i > start:
			return n, i + 1, whole
		case b[i] < '0' || b[i] > '9' || n > 99:
			return 0, i, rs.nine()
		}
		n = n*10 + int(b[i]-'0')
	}
	return 0, i, more
}

// upstreamLine reads one header line of a backend: more is a line to pass over.
func upstreamLine(line []byte) (field, verdict) {
	if secondStatusLine(line) {
		return field{}, more
	}
	line = trimCR(line)
	colon := bytes.IndexByte(line, ':')
	name := line
	var f field
	if colon >= 0 {
		name = line[:colon]
		f.value = bytes.Trim(line[colon+1:], " ")
	}
	if len(name) == 0 || badName(name) ||
		bytes.IndexByte(name, '\r') >= 0 || bytes.IndexByte(f.value, 0) >= 0 || bytes.IndexByte(f.value, '\r') >= 0 {
		return field{}, invalid
	}
	f.name = name
	return f, whole
}

// secondStatusLine is true for a line that nginx passes over: IIS may send its
// status line twice.
func secondStatusLine(line []byte) bool {
	return len(line) > 4 && string(line[:5]) == "HTTP/"
}

// badName says whether the part of a line that is a name has a byte that makes
// nginx refuse the header. Odd names are passed on.
func badName(b []byte) bool {
	for i, c := range b {
		switch {
		case c == ':':
			return i == 0
		case c == '\r':
			// Only an end of line may follow, and in an empty line at once.
			rest := trimCR(b[i+1:])
			return len(rest) > 0 || i == 0 && i+1 < len(b)
		case nameBytes[c] == badByte:
			return true
		}
	}
	return false
}

// note takes in what a header means, and drops those that end at the proxy:
// nginx says Server and Date itself (proxy_hide_header).
func (rs *response) note(f field) {
	switch {
	case is(f.name, "Content-Length"):
		if n, ok := number(f.value); ok {
			rs.length = n
		} else {
			rs.length = -1
		}
	case is(f.name, "Transfer-Encoding"):
		rs.chunked = rs.chunked || containsFold(f.value, "chunked")
	case is(f.name, "Connection"):
		if containsFold(f.value, "close") {
			rs.keep = false
		}
	case is(f.name, "Content-Type"):
		rs.contentType = f.value
	case is(f.name, "Last-Modified"):
		rs.lastModified = f.value
	case is(f.name, "Location"):
		rs.location = f.value
	case is(f.name, "Server"), is(f.name, "Date"), is(f.name, "Keep-Alive"), is(f.name, "X-Pad"),
		len(f.name) > 8 && is(f.name[:8], "X-Accel-"):
	default:
		rs.fields = append(rs.fields, f)
	}
}
