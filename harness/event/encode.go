package event

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Encoder writes a log as JSON lines, events.jsonl: a Header first, then one
// event a line. It writes a whole line at a time and buffers nothing. It is a
// Sink too. It is not safe for concurrent use.
type Encoder struct {
	w   io.Writer
	buf []byte
	err error
}

var _ Sink = (*Encoder)(nil)

// NewEncoder returns an encoder that writes to w.
func NewEncoder(w io.Writer) *Encoder { return &Encoder{w: w} }

// Header writes the first line of a log. Version is filled in.
func (e *Encoder) Header(h Header) error {
	if e.err != nil {
		return e.err
	}
	h.Version = Version
	line, err := json.Marshal(h)
	if err != nil {
		return fmt.Errorf("log header: %w", err) // a speed that isn't a number
	}
	return e.write(append(line, '\n'))
}

// Encode writes one event. After an error of the writer every call returns it.
func (e *Encoder) Encode(ev Event) error {
	if e.err != nil {
		return e.err
	}
	e.buf = append(AppendJSON(e.buf[:0], ev), '\n')
	return e.write(e.buf)
}

// Emit is Encode for a Sink; ask Err at the end.
func (e *Encoder) Emit(ev Event) { _ = e.Encode(ev) }

// Err is the first error of the writer.
func (e *Encoder) Err() error { return e.err }

func (e *Encoder) write(line []byte) error {
	if _, err := e.w.Write(line); err != nil {
		e.err = err
	}
	return e.err
}

// AppendJSON appends the event as one JSON object, fields that are empty left out.
func AppendJSON(b []byte, e Event) []byte {
	b = append(b, `{"at":`...)
	b = appendSeconds(b, e.At)
	b = appendText(b, "kind", e.Kind.String())
	if e.Request != (Request{}) {
		b = appendText(b, "request", e.Request.String())
	}
	b = appendInt(b, "try", e.Try)
	b = appendText(b, "peer", e.Peer)
	b = appendText(b, "upstream", e.Upstream)
	b = appendText(b, "outcome", e.Outcome.String())
	b = appendInt(b, "status", e.Status)
	if e.Cached {
		b = append(b, `,"cached":true`...)
	}
	b = appendInt(b, "worker", e.Worker)
	b = appendInt(b, "order", e.Order)
	b = appendText(b, "detail", e.Detail)
	return append(b, '}')
}

// appendSeconds writes microseconds as a decimal number of seconds. It rounds
// down: 59.9999997 s must not become 60 s, because nginx compares whole seconds
// and a replay of the log would decide otherwise.
func appendSeconds(b []byte, d time.Duration) []byte {
	us := int64(d / time.Microsecond)
	if d%time.Microsecond < 0 {
		us--
	}
	if us < 0 {
		b, us = append(b, '-'), -us
	}
	b = strconv.AppendInt(b, us/1e6, 10)
	frac := us % 1e6
	if frac == 0 {
		return b
	}
	b = append(b, '.')
	for scale := int64(1e5); frac > 0; scale /= 10 {
		b = append(b, byte('0'+frac/scale))
		frac %= scale
	}
	return b
}

func appendInt(b []byte, key string, n int) []byte {
	if n == 0 {
		return b
	}
	b = append(append(append(b, `,"`...), key...), `":`...)
	return strconv.AppendInt(b, int64(n), 10)
}

func appendText(b []byte, key, s string) []byte {
	if s == "" {
		return b
	}
	b = append(append(append(b, `,"`...), key...), `":"`...)
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return append(appendEscaped(b, s), '"')
		}
	}
	return append(append(b, s...), '"')
}

// appendEscaped writes a string that can't stand as it is. Bytes that are no
// UTF-8, which a log line may have, become the replacement character.
func appendEscaped(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	for _, r := range strings.ToValidUTF8(s, "\uFFFD") {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, `\n`...)
		case r == '\t':
			b = append(b, `\t`...)
		case r < ' ':
			b = append(b, '\\', 'u', '0', '0', hex[r>>4], hex[r&15])
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return b
}
