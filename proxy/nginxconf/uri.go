package nginxconf

import (
	"strings"

	"github.com/nolive/nolive/proxy/upstream"
)

// target is a request target as nginx takes it apart.
type target struct {
	// path is decoded, without "//", "/./" and "/../"; locations are matched to it.
	path string
	args string
	// quoted is true when the target had a "%".
	quoted bool
}

// parseTarget is nginx's ngx_http_parse_complex_uri; false is answered with 400.
func parseTarget(v upstream.Version, s string) (target, bool) {
	var t target
	end := strings.IndexAny(s, "?#")
	s, _, _ = strings.Cut(s, "#")
	raw, args, queried := strings.Cut(s, "?")
	t.args = args
	if raw == "" && queried {
		raw = "/" // of "http://host?x"
	}
	if !strings.HasPrefix(raw, "/") {
		return t, false
	}
	cutsDots := v.CutsLastDots()
	if !cutsDots && end < 0 {
		raw, t.quoted = dropCutEscape(raw)
	}
	decoded := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		if c == '%' {
			t.quoted = true
			if i+2 >= len(raw) || unhex(raw[i+1]) < 0 || unhex(raw[i+2]) < 0 {
				return t, false
			}
			c = byte(unhex(raw[i+1])<<4 | unhex(raw[i+2]))
			i += 2
		}
		if c == 0 {
			return t, false
		}
		decoded = append(decoded, c)
	}
	// Every segment but the last ends with a "/".
	var out []string
	segments := strings.Split(string(decoded[1:]), "/")
	for i, seg := range segments {
		last := i == len(segments)-1
		switch {
		case last && !cutsDots:
			out = append(out, seg)
		case seg == "" && !last, seg == "." && !last:
		case seg == ".":
			out = append(out, "")
		case seg == "..":
			if len(out) == 0 {
				return t, false
			}
			out = out[:len(out)-1]
			if last {
				out = append(out, "")
			}
		default:
			out = append(out, seg)
		}
	}
	t.path = "/" + strings.Join(out, "/")
	return t, true
}

// dropCutEscape drops the part of an escape that a target ends with, and says whether
// nginx came to think of it as one.
func dropCutEscape(s string) (string, bool) {
	if n := len(s); s[n-1] == '%' {
		return s[:n-1], false
	} else if n > 1 && s[n-2] == '%' && unhex(s[n-1]) >= 0 {
		return s[:n-2], true
	}
	return s, false
}

func unhex(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}

// escapePath is nginx's ngx_escape_uri with NGX_ESCAPE_URI.
func escapePath(v upstream.Version, s string) string {
	if v.EscapesAll() {
		return escapeBytes(s, "\"#%<>?\\^`{|}")
	}
	return escapeBytes(s, "#%?")
}

// escapeBytes escapes these bytes and all that are no visible ASCII.
func escapeBytes(s, odd string) string {
	const hex = "0123456789ABCDEF"
	escaped := func(c byte) bool { return c <= ' ' || c >= 0x7f || strings.IndexByte(odd, c) >= 0 }
	first := 0
	for first < len(s) && !escaped(s[first]) {
		first++
	}
	if first == len(s) {
		return s
	}
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		if escaped(c) {
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			c = hex[c&15]
		}
		b.WriteByte(c)
	}
	return b.String()
}

// ValidTarget says whether a version of nginx takes a request's target; with another one the
// request line is refused (ngx_http_parse_complex_uri).
func ValidTarget(v upstream.Version, target string) bool {
	_, ok := parseTarget(v, target)
	return ok
}
