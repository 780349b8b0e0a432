package variable

const hexDigits = "0123456789ABCDEF"

// escapeDefault writes bytes outside of printable ASCII, quotes and backslashes
// of b[from:] as \xHH (ngx_http_log_escape).
func escapeDefault(b []byte, from int) []byte {
	return escape(b, from,
		func(c byte) bool { return c < ' ' || c >= 0x7f || c == '"' || c == '\\' },
		func(b []byte, c byte) []byte { return append(b, '\\', 'x', hexDigits[c>>4], hexDigits[c&15]) })
}

// escapeJSON writes what can't stand in a JSON string as JSON does
// (ngx_escape_json).
func escapeJSON(b []byte, from int) []byte {
	return escape(b, from,
		func(c byte) bool { return c < ' ' || c == '"' || c == '\\' },
		func(b []byte, c byte) []byte {
			switch c {
			case '\n':
				c = 'n'
			case '\r':
				c = 'r'
			case '\t':
				c = 't'
			case '\b':
				c = 'b'
			case '\f':
				c = 'f'
			case '"', '\\':
			default:
				return append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
			}
			return append(b, '\\', c)
		})
}

// escape replaces the odd bytes of b[from:]; it copies only if there are any.
func escape(b []byte, from int, odd func(byte) bool, write func([]byte, byte) []byte) []byte {
	for i := from; i < len(b); i++ {
		if !odd(b[i]) {
			continue
		}
		rest := string(b[i:])
		b = b[:i]
		for j := range len(rest) {
			if odd(rest[j]) {
				b = write(b, rest[j])
			} else {
				b = append(b, rest[j])
			}
		}
		return b
	}
	return b
}
