package fault

import "bytes"

// Append adds n bytes of the body from offset off to dst, fewer where the body
// ends. Any piece can be had without the ones before it.
func (b *Body) Append(dst []byte, off, n int64) []byte {
	n = min(n, b.Size-off)
	switch {
	case off < 0 || n <= 0:
		return dst
	case b.Chunks != nil:
		return b.appendChunked(dst, off, n)
	case b.PDF:
		d := newPDF(b.Size)
		return d.append(dst, off, n)
	case b.Text != nil:
		return append(dst, b.Text[off:off+n]...)
	}
	return appendLines(dst, off, n, '.')
}

// Append adds n bytes of the response, as it goes over the wire, from offset off to dst,
// fewer where it ends.
func (r *Response) Append(dst []byte, off, n int64) []byte {
	n = min(n, r.Size()-off)
	if off < 0 || n <= 0 {
		return dst
	}
	for _, head := range [2][]byte{r.Interim, r.Head} {
		if size := int64(len(head)); off < size {
			part := min(n, size-off)
			dst = append(dst, head[off:off+part]...)
			off, n = 0, n-part
		} else {
			off -= size
		}
	}
	return r.Body.Append(dst, off, n)
}

// line is the length of a line of filler.
const line = 64

// appendLines adds filler: lines that begin with mark and their own offset, so
// that a hole or a repetition shows.
func appendLines(dst []byte, off, n int64, mark byte) []byte {
	var buf [line]byte
	for n > 0 {
		fillLine(&buf, off/line, mark)
		part := min(n, line-off%line)
		dst = append(dst, buf[off%line:off%line+part]...)
		off, n = off+part, n-part
	}
	return dst
}

func fillLine(buf *[line]byte, number int64, mark byte) {
	copy(buf[:], fillerLine)
	buf[0] = mark
	for i, v := 14, number*line; v > 0; i, v = i-1, v/10 {
		buf[i] = byte('0' + v%10)
	}
}

var fillerLine = append(append([]byte("% 0000000000000 "), bytes.Repeat([]byte("-"), line-17)...), '\n')
