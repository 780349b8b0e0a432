package fault

import (
	"fmt"
	"strings"
)

// Header is one header line.
type Header struct{ Name, Value string }

func (s *RespondSpec) response() Response {
	status := s.status()
	body := Body{Size: int64(s.Size)}
	if s.Size == 0 {
		text := s.Body
		if text == "" {
			text = reason(status) + "\n"
		}
		body = Body{Size: int64(len(text)), Text: []byte(text)}
	}
	return s.around(body)
}

// around puts the spec's head in front of a body. A status that can have no
// body gets none, and no length either.
func (s *RespondSpec) around(body Body) Response {
	status := s.status()
	version := "1.1"
	if s.Framing == "http10" {
		version = "1.0"
	}
	var head strings.Builder
	fmt.Fprintf(&head, "HTTP/%s %d %s\r\n", version, status, reason(status))
	writeHeaders(&head, s.Headers)
	announced := body.Size
	switch {
	case bodyless(status):
		body, announced = Body{}, 0
	case s.Framing == "close" || s.Framing == "http10":
		announced = -1
	case s.Framing == "chunked":
		var trailer strings.Builder
		writeHeaders(&trailer, s.Trailers)
		body, announced = chunked(body, int64(s.Chunk), []byte(trailer.String())), -1
		head.WriteString("Transfer-Encoding: chunked\r\n")
	default:
		if s.Length != 0 {
			announced = int64(s.Length)
		}
		fmt.Fprintf(&head, "Content-Length: %d\r\n", announced)
	}
	pad(&head, int64(s.HeaderSize)-2)
	head.WriteString("\r\n")
	r := Response{Status: status, Head: []byte(head.String()), Body: body, Announced: announced}
	if s.Interim != 0 {
		r.Interim = fmt.Appendf(nil, "HTTP/1.1 %d %s\r\n\r\n", s.Interim, reason(s.Interim))
	}
	return r
}

func writeHeaders(b *strings.Builder, list []Header) {
	for _, h := range list {
		fmt.Fprintf(b, "%s: %s\r\n", h.Name, h.Value)
	}
}

const (
	// padLine is the longest line of padding, leastPad the shortest.
	padLine  = 1 << 10
	leastPad = int64(len("X-Pad-0: \r\n"))
)

// pad fills the head up to size bytes with header lines. nginx drops X-Pad, but
// not X-Pad-0.
func pad(head *strings.Builder, size int64) {
	for n := size - int64(head.Len()); n >= leastPad; n = size - int64(head.Len()) {
		line := min(n, padLine)
		if n-line > 0 && n-line < leastPad {
			line -= leastPad
		}
		head.WriteString("X-Pad-0: " + strings.Repeat("-", int(line-leastPad)) + "\r\n")
	}
}

func (s *RespondSpec) status() int {
	if s.Status == 0 {
		return 200
	}
	return s.Status
}

// bodyless says whether a response with the status ends with its head (RFC 9112, 6.3).
func bodyless(status int) bool { return status == 204 || status == 304 }

func (s *RespondSpec) validate() error {
	switch {
	case s.Status != 0 && (s.Status < 200 || s.Status > 599):
		return fmt.Errorf("status: %d is not in 200..599", s.Status)
	case s.Body != "" && s.Size != 0:
		return fmt.Errorf("size: there is a body already; give one of the two")
	case s.Size < 0 || s.Size > maxSize:
		return fmt.Errorf("size: %d is not in 0..%s", s.Size, maxSize)
	case bodyless(s.status()) && (s.Body != "" || s.Size != 0):
		return fmt.Errorf("body: a response with status %d has none", s.Status)
	case s.Interim != 0 && (s.Interim < 100 || s.Interim > 199 || s.Interim == 101):
		return fmt.Errorf("interim: %d is not in 100..199, or it is 101, which is final", s.Interim)
	}
	if err := s.validateFraming(); err != nil {
		return err
	}
	for _, h := range s.Headers {
		if err := h.validate(); err != nil {
			return fmt.Errorf("headers: %w", err)
		}
	}
	for _, h := range s.Trailers {
		if err := h.validate(); err != nil {
			return fmt.Errorf("trailers: %w", err)
		}
	}
	switch s.Then {
	case "", "keep", "close", "linger", "reset", "hang":
	default:
		return fmt.Errorf("then: %q is none of keep, close, linger, reset, hang", s.Then)
	}
	if err := s.After.checkAs("after"); err != nil {
		return err
	}
	r := s.response()
	if n := int64(len(r.Head)); s.HeaderSize != 0 && int64(s.HeaderSize) != n {
		return fmt.Errorf("header_size: %s can't be had; without padding the header has %d bytes, and a line of it at least %d",
			s.HeaderSize, s.unpadded(), leastPad)
	}
	return s.Rate.check(r.Body.Size)
}

// unpadded is the size of the head without its padding.
func (s *RespondSpec) unpadded() int {
	plain := *s
	plain.HeaderSize = 0
	r := plain.response()
	return len(r.Head)
}

func (s *RespondSpec) validateFraming() error {
	switch s.Framing {
	case "", "length", "chunked", "close", "http10":
	default:
		return fmt.Errorf("framing: %q is none of length, chunked, close, http10", s.Framing)
	}
	length := s.Framing == "" || s.Framing == "length"
	switch {
	case s.Length != 0 && !length:
		return fmt.Errorf("length: only with framing: length")
	case s.Length != 0 && bodyless(s.status()):
		return fmt.Errorf("length: a response with status %d has none", s.Status)
	case s.Chunk != 0 && s.Framing != "chunked":
		return fmt.Errorf("chunk: only with framing: chunked")
	case len(s.Trailers) > 0 && s.Framing != "chunked":
		return fmt.Errorf("trailers: only with framing: chunked")
	case s.Chunk < 0:
		return fmt.Errorf("chunk: %d is less than 1", s.Chunk)
	}
	return nil
}

func (h Header) validate() error {
	switch {
	case !IsToken(h.Name):
		return fmt.Errorf("%q is no header name", h.Name)
	case strings.EqualFold(h.Name, "Content-Length"), strings.EqualFold(h.Name, "Transfer-Encoding"):
		return fmt.Errorf("%s follows from the body; use size or framing", h.Name)
	case strings.ContainsAny(h.Value, "\r\n\x00"):
		return fmt.Errorf("the value of %s has a line break or a NUL", h.Name)
	}
	return nil
}

// IsToken says whether s is a token, such as a header's name (RFC 9110, 5.6.2).
func IsToken(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune("\"(),/:;<=>?@[\\]{}", r)
	})
}
