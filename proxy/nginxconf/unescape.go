package nginxconf

import "strings"

// escaped is where a text with "%" and two digits stands.
type escaped uint8

const (
	// inPath: everything is decoded.
	inPath escaped = iota
	// inRedirect: up to a "?", and not what has to stay as it is in a Location
	// (NGX_UNESCAPE_REDIRECT).
	inRedirect
)

// unescapeURI is ngx_unescape_uri. A "%" without two digits goes, with the one that it has.
func unescapeURI(s string, in escaped) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '?' && in == inRedirect:
			return b.String() + s[i:]
		case s[i] != '%':
			b.WriteByte(s[i])
		case i+1 == len(s):
		case unhex(s[i+1]) < 0:
			i++
			b.WriteByte(s[i])
		case i+2 == len(s) || unhex(s[i+2]) < 0:
			i += 2
		default:
			if c := byte(unhex(s[i+1])<<4 | unhex(s[i+2])); in == inRedirect && (c <= '%' || c >= 0x7f) {
				b.WriteString(s[i : i+3])
			} else {
				b.WriteByte(c)
			}
			i += 2
		}
	}
	return b.String()
}
