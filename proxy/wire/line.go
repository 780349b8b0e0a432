package wire

import "bytes"

// Field is one header line. Its slices point into the buffer that was scanned.
type Field struct{ Name, Value []byte }

// CutLine splits off the first line, without its end: CRLF, or LF alone, which
// nginx takes too.
func CutLine(b []byte) (line, rest []byte) {
	i := bytes.IndexByte(b, '\n')
	if i < 0 {
		return b, nil
	}
	line, rest = b[:i], b[i+1:]
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	return line, rest
}

// Names says what a client's header may be called.
type Names struct {
	// Underscores is underscores_in_headers on, Odd ignore_invalid_headers off.
	Underscores, Odd bool
	// Lax takes spaces, control characters and a colon in front for odd ones, as
	// nginx did before 1.21.1.
	Lax bool
}

// HeaderLine is HeaderLine of Names{}, nginx's default.
func HeaderLine(line []byte) (f Field, ok, bad bool) { return Names{}.HeaderLine(line) }

// HeaderLine reads one line of a client's head as ngx_http_parse_header_line
// does. ok is false for one that nginx passes over because its name has
// anything but letters, digits and "-". bad is true for one that makes it refuse
// the whole head: a name that is empty or has control characters, a NUL.
func (n Names) HeaderLine(line []byte) (f Field, ok, bad bool) {
	if line = trimCR(line); len(line) == 0 || line[0] == ':' && !n.Lax {
		return Field{}, false, true
	}
	colon := bytes.IndexByte(line[1:], ':') + 1
	name := line
	if colon > 0 {
		name = line[:colon]
		f.Value = bytes.Trim(line[colon+1:], " ")
	}
	ok = true
	for _, c := range name {
		switch kind := nameBytes[c]; {
		case kind == goodByte:
		case kind == badByte && (!n.Lax || c == 0 || c == '\r'):
			return Field{}, false, true
		default:
			ok = ok && (n.Odd || n.Underscores && c == '_')
		}
	}
	if bytes.IndexByte(f.Value, 0) >= 0 || bytes.IndexByte(f.Value, '\r') >= 0 {
		return Field{}, false, true
	}
	f.Name = name
	return f, ok, false
}

// trimCR takes more CRs off the end of a line: nginx passes over all of them
// but in the empty line (sw_almost_done, sw_header_almost_done).
func trimCR(line []byte) []byte { return bytes.TrimRight(line, "\r") }

const (
	oddByte = iota // nginx knows it, but not in a name
	goodByte
	badByte
)

var nameBytes = func() (t [256]byte) {
	for c := range t {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-':
			t[c] = goodByte
		case c <= ' ' || c == 0x7f:
			t[c] = badByte
		}
	}
	return t
}()
