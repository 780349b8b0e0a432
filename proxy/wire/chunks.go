package wire

import (
	"errors"
	"math"

	"github.com/nolive/nolive/proxy/upstream"
)

// ErrChunk: the chunked framing is broken.
var ErrChunk = errors.New("invalid chunked body")

// Chunks decodes a chunked body piece by piece (ngx_http_parse_chunked). The
// zero value is at the start.
type Chunks struct {
	// CRLF refuses lines that end with LF alone, as nginx does since 1.29.4.
	CRLF bool
	// Overruns passes over what stands between a chunk and the end of its line, as
	// nginx did before 1.17.4.
	Overruns bool
	// Done is true once the body is complete.
	Done bool

	state chunkState
	size  int64 // of what is left of the chunk
}

type chunkState uint8

const (
	chunkStart chunkState = iota
	chunkSize
	chunkExtension
	chunkExtensionLF
	chunkData
	chunkAfter
	chunkAfterLF
	lastExtension
	lastExtensionLF
	trailerStart
	trailerLF
	trailerLine
	trailerLineLF
)

// ChunksOf is at the start of a body that a version of nginx reads.
func ChunksOf(v upstream.Version) Chunks {
	return Chunks{CRLF: v.WantsCRLFInChunks(), Overruns: v.TakesOverruns()}
}

// Decode decodes b in place: b[:n] is the data it holds, b[used:] what follows
// the end of the body.
func (d *Chunks) Decode(b []byte) (n, used int, err error) {
	for used < len(b) && !d.Done {
		if d.state == chunkData {
			k := int(min(d.size, int64(len(b)-used)))
			n += copy(b[n:], b[used:used+k])
			used += k
			if d.size -= int64(k); d.size == 0 {
				d.state = chunkAfter
			}
			continue
		}
		if !d.step(b[used]) {
			return n, used, ErrChunk
		}
		used++
	}
	return n, used, nil
}

// Left is how much of a chunk that was announced is still to come.
func (d *Chunks) Left() int64 {
	if d.state == chunkData {
		return d.size
	}
	return 0
}

// step takes one byte of the framing.
func (d *Chunks) step(c byte) bool {
	if c == '\n' && d.CRLF && !d.afterCR() {
		return false
	}
	switch d.state {
	case chunkStart, chunkSize:
		if v, ok := hexDigit(c); ok {
			if d.size > math.MaxInt64>>4 {
				return false
			}
			d.size = d.size<<4 | int64(v)
			d.state = chunkSize
			return true
		}
		if d.state == chunkStart {
			return false
		}
		return d.sizeEnd(c)
	case chunkExtension, lastExtension:
		switch c {
		case '\r':
			d.state++
		case '\n':
			d.extensionEnd()
		}
		return true
	case chunkExtensionLF, lastExtensionLF:
		if c != '\n' {
			return false
		}
		d.extensionEnd()
	case chunkAfter, chunkAfterLF:
		switch {
		case c == '\n':
			d.state = chunkStart
		case c == '\r' && d.state == chunkAfter:
			d.state = chunkAfterLF
		default:
			return d.Overruns && d.state == chunkAfter
		}
	case trailerStart:
		switch c {
		case '\r':
			d.state = trailerLF
		case '\n':
			d.Done = true
		default:
			d.state = trailerLine
		}
	case trailerLF:
		if c != '\n' {
			return false
		}
		d.Done = true
	case trailerLine:
		switch c {
		case '\r':
			d.state = trailerLineLF
		case '\n':
			d.state = trailerStart
		}
	case trailerLineLF:
		if c != '\n' {
			return false
		}
		d.state = trailerStart
	}
	return true
}

// afterCR is true where a LF follows a CR.
func (d *Chunks) afterCR() bool {
	switch d.state {
	case chunkExtensionLF, lastExtensionLF, chunkAfterLF, trailerLF, trailerLineLF:
		return true
	}
	return false
}

// sizeEnd takes the byte behind the size.
func (d *Chunks) sizeEnd(c byte) bool {
	d.state = chunkExtension
	if d.size == 0 {
		d.state = lastExtension
	}
	switch c {
	case '\r':
		d.state++
	case '\n':
		d.extensionEnd()
	case ';', ' ', '\t':
	default:
		return false
	}
	return true
}

func (d *Chunks) extensionEnd() {
	d.state = chunkData
	if d.size == 0 {
		d.state = trailerStart
	}
}

// Need is how many bytes have at least to come: nginx leaves fewer than that
// lying in an unfilled buffer.
func (d *Chunks) Need() int64 {
	if d.CRLF {
		return d.needCRLF()
	}
	switch d.state {
	case chunkStart:
		return 3 // "0" LF LF
	case chunkSize:
		if d.size == 0 {
			return 2
		}
		return 1 + d.size + 4
	case chunkExtension, chunkExtensionLF:
		return 1 + d.size + 4
	case chunkData:
		return d.size + 4
	case chunkAfter, chunkAfterLF:
		return 4
	case trailerStart, trailerLF:
		return 1
	}
	return 2
}

// needCRLF is Need since 1.29.4.
func (d *Chunks) needCRLF() int64 {
	switch d.state {
	case chunkStart:
		return 5 // "0" CRLF CRLF
	case chunkSize:
		if d.size == 0 {
			return 4
		}
		return 2 + d.size + 7
	case chunkExtension:
		return 2 + d.size + 7
	case chunkExtensionLF:
		return 1 + d.size + 7
	case chunkData:
		return d.size + 7
	case chunkAfter:
		return 7
	case chunkAfterLF:
		return 6
	case lastExtension, trailerLine:
		return 4
	case lastExtensionLF, trailerLineLF:
		return 3
	case trailerStart:
		return 2
	}
	return 1
}

func hexDigit(c byte) (v byte, ok bool) {
	switch {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10, true
	}
	return 0, false
}
