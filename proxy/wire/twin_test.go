package wire

import (
	"strings"
	"testing"
)

// The twin goes through a head byte by byte with the states of
// ngx_http_parse_status_line and ngx_http_parse_header_line (1.22). It shares no
// code with Head and is slow; it exists to disagree.
func twin(b []byte) (v Verdict, raw bool, at int) {
	p := 0
	for state, digits, last := 0, 0, 0; ; p++ {
		if p == len(b) {
			return More, false, 0
		}
		ch := b[p]
		switch {
		case state < 5:
			if ch != "HTTP/"[state] {
				return Whole, true, 0
			}
			state++
		case state == 5: // the first digit of the major version
			if ch < '1' || ch > '9' {
				return Whole, true, 0
			}
			last, state = int(ch-'0'), 6
		case state == 6 && ch == '.':
			state = 7
		case state == 7: // the first digit of the minor version
			if ch < '0' || ch > '9' {
				return Whole, true, 0
			}
			last, state = int(ch-'0'), 8
		case state == 8 && ch == ' ':
			state = 9
		case state == 6 || state == 8:
			if ch < '0' || ch > '9' || last > 99 {
				return Whole, true, 0
			}
			last = last*10 + int(ch-'0')
		case state == 9 && ch == ' ': // also between the digits
		case state == 9:
			if ch < '0' || ch > '9' {
				return Whole, true, 0
			}
			if digits++; digits == 3 {
				state = 10
			}
		case state == 10 && (ch == ' ' || ch == '.'):
			state = 11
		case (state == 10 || state == 11) && ch == '\r':
			state = 12
		case (state == 10 || state == 11 || state == 12) && ch == '\n':
			return twinLines(b, p+1)
		case state == 10 || state == 12:
			return Whole, true, 0
		}
	}
}

func twinLines(b []byte, p int) (v Verdict, raw bool, at int) {
	state, start := "start", p
	for ; p < len(b); p++ {
		ch := b[p]
		odd := ch <= 0x20 || ch == 0x7f
		switch state {
		case "start":
			start = p
			switch {
			case ch == '\r':
				state = "end"
			case ch == '\n':
				return Whole, false, p + 1
			case odd || ch == ':':
				return Invalid, false, 0
			default:
				state = "name"
			}
		case "name":
			switch {
			case ch == ':':
				state = "value"
			case ch == '\r':
				state = "almost"
			case ch == '\n':
				state = "start"
			case ch == '/' && strings.HasPrefix(string(b[start:]), "HTTP/") && p-start == 4:
				state = "ignore"
			case odd:
				return Invalid, false, 0
			}
		case "value":
			switch ch {
			case '\r':
				state = "almost"
			case '\n':
				state = "start"
			case 0:
				return Invalid, false, 0
			}
		case "ignore":
			if ch == '\n' {
				state = "start"
			}
		case "almost":
			switch ch {
			case '\n':
				state = "start"
			case '\r':
			default:
				return Invalid, false, 0
			}
		case "end":
			if ch == '\n' {
				return Whole, false, p + 1
			}
			return Invalid, false, 0
		}
	}
	return More, false, 0
}

// Head says of any bytes what nginx's own states say.
func FuzzTwin(f *testing.F) {
	const ok = "HTTP/1.1 200 OK\r\n"
	for _, s := range []string{
		ok + "A: b\r\n\r\n", ok + "A: b\rc\r\n\r\n", ok + "A:\r\r\n\r\n", ok + "\r\r\n", ok + "\rx", ok + "HTTP/1.1 200\x00\r\n\r\n", ok + "HTTP\r\n\r\n",
		ok + "A\r\r\nB\n\n", ok + "A b", ok + ":", ok + "\x00", "HTTP/1.1 2 0 0\r\n\r\n", "HTTP/10.1 200\n\n", "HTTP/1000.1 200\n\n", "HTTP/1.1 200.1\r\n\r\n", "HTTP/1.1 200\r\r\n",
	} {
		f.Add([]byte(s))
	}
	v := version(f, "1.22")
	f.Fuzz(func(t *testing.T, b []byte) {
		var h Head
		h.Reset(v)
		got := h.Scan(b)
		want, raw, at := twin(b)
		if got != want || h.Raw != raw || got == Whole && h.At != at {
			t.Fatalf("%q: %d, raw %v, body at %d; nginx's states: %d, %v, %d", b, got, h.Raw, h.At, want, raw, at)
		}
	})
}
