package wire

import (
	"bytes"

	"github.com/nolive/nolive/proxy/upstream"
)

// Head is a backend's response head, scanned (ngx_http_proxy_process_status_line
// and _header). Its slices point into the buffer. Begin with Reset.
type Head struct {
	// Status is the code; Text is the status line behind the version, as it is
	// passed on.
	Status int
	Text   []byte
	// Raw is true for an answer that doesn't begin with a status line: nginx
	// takes it for HTTP/0.9 and passes every byte on. Before 1.30.1 those were lost
	// that had come before the byte that shows it.
	Raw    bool
	Fields []Field // in order, without those that are about the connection or are below
	// ContentType comes first in nginx's answers; Location is among Fields too.
	ContentType, Location []byte
	// Buffering is what X-Accel-Buffering asks for.
	Buffering Buffering
	// Redirects is true where there is an X-Accel-Redirect; Redirect is what the first
	// of them says.
	Redirects bool
	Redirect  []byte
	// Length is Content-Length, -1 for none.
	Length  int64
	Chunked bool
	// Keep is true when the backend may keep the connection: it spoke HTTP/1.1
	// and didn't say close. nginx doesn't look at its own request header.
	Keep bool
	// At is where scanning goes on: after Whole, where what is passed on starts; after
	// Hints, where the next head does; after Invalid, the line that is wrong.
	At int

	// Why is what nginx logs of an Invalid head, and Repeated what it logs of lines that
	// it dropped, both without what it was doing.
	Why      string
	Repeated []string

	version upstream.Version
	lines   bool // the status line is done
	passed  int  // how far an earlier scan for it came, where that matters
	old     bool // it speaks HTTP/1.0
	final   bool // a 103 isn't consumed
	// hasLength and hasCoding are true once such a line was there.
	hasLength, hasCoding bool
	length, coding       Field // that line
	once                 Once
}

// Buffering is whether a backend wants its response buffered, whatever
// proxy_buffering says (ngx_http_upstream_process_buffering).
type Buffering uint8

// What a backend may ask for.
const (
	AsConfigured Buffering = iota
	NotBuffered
	Buffered
)

// Unbuffered says whether a response is passed on as it comes, given what the
// configuration says.
func (b Buffering) Unbuffered(configured bool) bool {
	return b == NotBuffered || b == AsConfigured && configured
}

// Verdict is what a scan found.
type Verdict uint8

const (
	// More: the head isn't complete. When nothing more fits into
	// proxy_buffer_size, it is nginx's "upstream sent too big header".
	More Verdict = iota
	// Whole: a whole head.
	Whole
	// Hints: a whole 103 response; the real head is still to come.
	Hints
	// Invalid: nginx's "upstream sent invalid header" and its kin.
	Invalid
)

// Reset prepares for another response, to a given version of nginx, and keeps
// the memory.
func (h *Head) Reset(v upstream.Version) {
	*h = Head{Fields: h.Fields[:0], Length: -1, version: v}
}

// Final makes a 103 response that was scanned the real one.
func (h *Head) Final(b []byte) Verdict {
	h.Reset(h.version)
	h.final = true
	return h.Scan(b)
}

// Scan goes on with b, the bytes received so far from the first one. What it
// finds doesn't depend on how the bytes came, but for Raw.
func (h *Head) Scan(b []byte) Verdict {
	if !h.lines {
		switch v := h.statusLine(b); {
		case h.Raw:
			h.Status, h.Text, h.Keep, h.At = 200, nil, false, h.passed
			return Whole
		case v != Whole:
			if h.version.LosesBeginOfRaw() {
				h.passed = len(b)
			}
			return v
		}
		h.lines, h.passed = true, 0
		if h.hints() && h.old {
			h.Why = earlyHints
			return Invalid
		}
	}
	for {
		i := bytes.IndexByte(b[h.At:], '\n')
		if i < 0 {
			// A line is refused at its first wrong byte.
			if rest := b[h.At:]; !secondStatusLine(rest) && (h.badName(rest) || h.badValue(rest)) {
				h.Why = h.whyLine(rest)
				return Invalid
			}
			return More
		}
		line, _ := CutLine(b[h.At : h.At+i+1])
		start := h.At
		h.At += i + 1
		if len(line) == 0 {
			if h.hints() {
				return Hints
			}
			return Whole
		}
		f, v := h.upstreamLine(line)
		if v == Invalid {
			h.Why = h.whyLine(b[start:])
			h.At = start
			return Invalid
		}
		if v == Whole && !h.hints() && !h.note(f) {
			h.At = start
			return Invalid
		}
	}
}

// statusLine is ngx_http_parse_status_line. A first line that is none makes
// the answer raw, as soon as the first wrong byte is there.
func (h *Head) statusLine(b []byte) Verdict {
	const prefix = "HTTP/"
	i := 0
	for ; i < len(prefix); i++ {
		if i == len(b) {
			return More
		}
		if b[i] != prefix[i] {
			return h.nine()
		}
	}
	if i < len(b) && b[i] == '0' {
		return h.nine() // no version begins with one
	}
	major, i, v := h.digitsThen(b, i, '.')
	if v != Whole {
		return v
	}
	minor, i, v := h.digitsThen(b, i, ' ')
	if v != Whole {
		return v
	}
	// Spaces may stand between the digits, too; what is passed on begins two bytes
	// before the last of them.
	status := 0
	for digits := 0; digits < 3; i++ {
		switch {
		case i == len(b):
			return More
		case b[i] == ' ':
			continue
		case b[i] < '0' || b[i] > '9':
			return h.nine()
		}
		status = status*10 + int(b[i]-'0')
		digits++
	}
	text := i - 3
	if i == len(b) {
		return More
	}
	switch b[i] {
	case ' ', '.', '\r', '\n':
	default:
		return h.nine()
	}
	end := bytes.IndexByte(b[i:], '\n')
	if end < 0 {
		if cr := bytes.IndexByte(b[i:], '\r'); cr >= 0 && i+cr+1 < len(b) {
			return h.nine() // CR without LF
		}
		return More
	}
	line := b[text : i+end]
	if n := len(line); line[n-1] == '\r' {
		line = line[:n-1]
	}
	if bytes.IndexByte(line, '\r') >= 0 {
		return h.nine()
	}
	h.Status, h.Text, h.At = status, line, i+end+1
	h.old = major == 1 && minor == 0
	h.Keep = !h.old
	return Whole
}

// hints is true in a 103 response that is consumed. Its fields aren't looked at.
func (h *Head) hints() bool { return h.Status == 103 && !h.final && h.version.TakesEarlyHints() }

// nine makes the answer one of HTTP/0.9.
func (h *Head) nine() Verdict {
	h.Raw = true
	return Invalid
}

// digitsThen reads a number that ends with c.
func (h *Head) digitsThen(b []byte, i int, c byte) (n, next int, v Verdict) {
	for start := i; i < len(b); i++ {
		switch {
		case b[i] == c && i > start:
			return n, i + 1, Whole
		case b[i] < '0' || b[i] > '9' || n > 99:
			return 0, i, h.nine()
		}
		n = n*10 + int(b[i]-'0')
	}
	return 0, i, More
}

// upstreamLine reads one header line of a backend: more is a line to pass over.
func (h *Head) upstreamLine(line []byte) (Field, Verdict) {
	if secondStatusLine(line) {
		return Field{}, More
	}
	line = trimCR(line)
	colon := h.colon(line)
	name := line
	var f Field
	if colon >= 0 {
		name = line[:colon]
		f.Value = bytes.Trim(line[colon+1:], " ")
	}
	if len(name) == 0 || h.badName(name) ||
		bytes.IndexByte(name, '\r') >= 0 || bytes.IndexByte(f.Value, 0) >= 0 || bytes.IndexByte(f.Value, '\r') >= 0 {
		return Field{}, Invalid
	}
	f.Name = name
	return f, Whole
}

// BackendLine reads one header line of a response; ok is false for one that isn't
// passed on.
func BackendLine(line []byte) (f Field, ok bool) {
	var h Head
	f, v := h.upstreamLine(line)
	return f, v == Whole
}

// secondStatusLine is true for a line that nginx passes over: IIS may send its
// status line twice.
func secondStatusLine(line []byte) bool {
	return len(line) > 4 && string(line[:5]) == "HTTP/"
}

// colon is where a line's name ends, -1 for a line that is all name. Before
// 1.21.1 a name could begin with one.
func (h *Head) colon(line []byte) int {
	if len(line) > 0 && line[0] == ':' && !h.version.RefusesOddNames() {
		if i := bytes.IndexByte(line[1:], ':'); i >= 0 {
			return i + 1
		}
		return -1
	}
	return bytes.IndexByte(line, ':')
}

// badName says whether the part of a line that is a name has a byte that makes
// nginx refuse the header. Odd names are passed on.
func (h *Head) badName(b []byte) bool {
	strict := h.version.RefusesOddNames()
	for i, c := range b {
		switch {
		case c == ':' && (i > 0 || strict):
			return i == 0
		case c == '\r':
			// Only an end of line may follow, and in an empty line at once.
			rest := trimCR(b[i+1:])
			return len(rest) > 0 || i == 0 && i+1 < len(b)
		case c == 0, strict && nameBytes[c] == badByte:
			return true
		}
	}
	return false
}

// badValue says whether what there is of a line has a byte in its value that
// makes nginx refuse the header: a NUL, a CR that doesn't end the line.
func (h *Head) badValue(b []byte) bool {
	colon := h.colon(b)
	if colon < 0 {
		return false
	}
	value := b[colon+1:]
	cr := bytes.IndexByte(value, '\r')
	return bytes.IndexByte(value, 0) >= 0 || cr >= 0 && len(bytes.TrimLeft(value[cr:], "\r")) > 0
}

// note takes in what a header means, and drops what is about the connection. It is
// false for one that makes the head invalid.
func (h *Head) note(f Field) bool {
	strict := h.version.RefusesOddLengths()
	if h.once.Repeats(h.version, f.Name) {
		h.Repeated = append(h.Repeated, duplicate(f, h.first(f.Name))+", ignored")
		return true
	}
	switch {
	case Is(f.Name, "Content-Length"):
		n, ok := Number(f.Value)
		if strict && (!ok || h.hasLength || h.hasCoding) {
			h.Why = h.whyLength(f)
			return false
		}
		if h.Length, h.hasLength, h.length = n, true, f; !ok {
			h.Length = -1
		}
	case Is(f.Name, "Transfer-Encoding"):
		if strict && (h.hasLength || h.hasCoding || !Is(f.Value, "chunked")) {
			h.Why = h.whyCoding(f)
			return false
		}
		h.hasCoding, h.coding = true, f
		h.Chunked = h.Chunked || Contains(f.Value, "chunked")
	case Is(f.Name, "Connection"):
		if Contains(f.Value, "close") {
			h.Keep = false
		}
	case Is(f.Name, "Content-Type"):
		h.ContentType = f.Value
	case Is(f.Name, "Location"):
		h.Location = f.Value
		h.Fields = append(h.Fields, f)
	case Is(f.Name, "X-Accel-Buffering"):
		switch {
		case Is(f.Value, "no"):
			h.Buffering = NotBuffered
		case Is(f.Value, "yes"):
			h.Buffering = Buffered
		}
		h.Fields = append(h.Fields, f)
	case Is(f.Name, "X-Accel-Redirect"):
		if !h.Redirects { // ngx_http_upstream_process_header_line
			h.Redirects, h.Redirect = true, f.Value
		}
		h.Fields = append(h.Fields, f)
	case Is(f.Name, "Keep-Alive"):
	default:
		h.Fields = append(h.Fields, f)
	}
	return true
}
