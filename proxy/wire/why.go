package wire

import "fmt"

// What nginx says of a backend's header, as far as it is the same each time.
const (
	invalidHeader = "upstream sent invalid header"
	earlyHints    = "upstream sent HTTP/1.0 response with early hints"
	bothLengths   = "upstream sent \"Content-Length\" and \"Transfer-Encoding\" headers at the same time"
)

// Lines are all texts of Head.Why and Head.Repeated, with hole for what differs from one
// to another.
func Lines(hole string) []string {
	f := Field{Name: []byte(hole), Value: []byte(hole)}
	return []string{
		invalidHeader, invalidHeader + `: "` + hole + `..."`, earlyHints, bothLengths,
		duplicate(f, f), duplicate(f, f) + ", ignored", badLength(f), badCoding(f),
	}
}

// whyLine is what is wrong with the line with which b begins. nginx quotes it since
// 1.21.1, up to the byte at which it gave up.
func (h *Head) whyLine(b []byte) string {
	if !h.version.RefusesOddNames() {
		return invalidHeader
	}
	at := Offence(b)
	return fmt.Sprintf("%s: \"%s\\x%02x...\"", invalidHeader, b[:at], b[at])
}

// whyLength is what is wrong with a Content-Length (ngx_http_upstream_process_content_length).
func (h *Head) whyLength(f Field) string {
	switch {
	case h.hasLength:
		return duplicate(f, h.length)
	case h.hasCoding:
		return bothLengths
	}
	return badLength(f)
}

// whyCoding is what is wrong with a Transfer-Encoding
// (ngx_http_upstream_process_transfer_encoding).
func (h *Head) whyCoding(f Field) string {
	switch {
	case h.hasCoding:
		return duplicate(f, h.coding)
	case h.hasLength:
		return bothLengths
	}
	return badCoding(f)
}

func badLength(f Field) string {
	return fmt.Sprintf("upstream sent invalid \"Content-Length\" header: \"%s: %s\"", f.Name, f.Value)
}

func badCoding(f Field) string {
	return fmt.Sprintf("upstream sent unknown \"Transfer-Encoding\": \"%s\"", f.Value)
}

func duplicate(f, had Field) string {
	return fmt.Sprintf("upstream sent duplicate header line: \"%s: %s\", previous value: \"%s: %s\"", f.Name, f.Value, had.Name, had.Value)
}

// first is the header line of a name that counts.
func (h *Head) first(name []byte) Field {
	if Is(name, "Content-Type") {
		return Field{Name: []byte("Content-Type"), Value: h.ContentType}
	}
	for _, f := range h.Fields {
		if Is(f.Name, string(name)) {
			return f
		}
	}
	return Field{}
}

// Offence is the byte at which nginx gives a header line up
// (ngx_http_parse_header_line).
func Offence(line []byte) int {
	value := false
	for i, c := range line {
		switch {
		case value && c == 0, !value && (c <= ' ' || c == 0x7f), !value && c == ':' && i == 0:
			return i
		case c == '\r':
			return i
		case c == ':':
			value = true
		}
	}
	return len(line) - 1
}
