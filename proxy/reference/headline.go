package reference

import "bytes"

// cutLine splits off the first line, without its end: CRLF, or LF alone, which
// nginx takes too.
func cutLine(b []byte) (line, rest []byte) {
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

// headerLine reads one line of a client's head as ngx_http_parse_header_line
// does (1.22). ok is false for one that nginx passes over because its name has
// anything but letters, digits and "-" (ignore_invalid_headers on,
// underscores_in_headers off). bad is true for one that makes it refuse the
// whole head: a name that is empty or has control characters, a NUL.
func headerLine(line []byte) (f field, ok, bad bool) {
	if line = trimCR(line); len(line) == 0 || line[0] == ':' {
		return field{}, false, true
	}
	colon := bytes.IndexByte(line, ':')
	name := line
	if colon > 0 {
		name = line[:colon]
		f.value = bytes.Trim(line[colon+1:], " ")
	}
	ok = true
	for _, c := range name {
		switch nameBytes[c] {
		case badByte:
			return field{}, false, true
		case oddByte:
			ok = false
		}
	}
	if bytes.IndexByte(f.value, 0) >= 0 || bytes.IndexByte(f.value, '\r') >= 0 {
		return field{}, false, true
	}
	f.name = name
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

// is compares without regard to ASCII case.
func is(b []byte, s string) bool {
	if len(b) != len(s) {
		return false
	}
	for i, c := range b {
		if c != s[i] && lower(c) != lower(s[i]) {
			return false
		}
	}
	return true
}

// containsFold is ngx_strcasestrn: nginx looks for a word anywhere in a value.
func containsFold(b []byte, s string) bool {
	for i := 0; i+len(s) <= len(b); i++ {
		if is(b[i:i+len(s)], s) {
			return true
		}
	}
	return false
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

func allDigits(b []byte) bool {
	for _, c := range b {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(b) > 0
}
