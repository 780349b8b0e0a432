package fault

import "strconv"

// Chunks is how a body is framed in chunks (RFC 9112, 7.1).
type Chunks struct {
	// Data is the number of bytes of the body itself, Each those of a chunk.
	Data, Each int64
	// Trailer is the trailer section, each line with its CR LF.
	Trailer []byte
}

// chunked puts a body into chunks; each 0 is one chunk for all of it.
func chunked(body Body, each int64, trailer []byte) Body {
	c := &Chunks{Data: body.Size, Each: each}
	if len(trailer) > 0 {
		c.Trailer = trailer
	}
	if each <= 0 || each > c.Data {
		c.Each = max(c.Data, 1)
	}
	body.Chunks = c
	body.Size = c.dataEnd() + int64(len(c.last()))
	return body
}

// dataEnd is where the last chunk, the one without data, begins.
func (c *Chunks) dataEnd() int64 {
	end := c.Data / c.Each * c.frame(c.Each)
	if rest := c.Data % c.Each; rest > 0 {
		end += c.frame(rest)
	}
	return end
}

// frame is the size of a chunk with n bytes of data on the wire.
func (c *Chunks) frame(n int64) int64 { return int64(len(chunkLine(nil, n))) + n + 2 }

// last is the last chunk with what follows it.
func (c *Chunks) last() []byte { return append(append([]byte("0\r\n"), c.Trailer...), "\r\n"...) }

func chunkLine(dst []byte, n int64) []byte { return append(strconv.AppendInt(dst, n, 16), "\r\n"...) }

// appendChunked adds n bytes of the framed body from off; the caller keeps both
// within it.
func (b *Body) appendChunked(dst []byte, off, n int64) []byte {
	c := b.Chunks
	plain := *b
	plain.Chunks, plain.Size = nil, c.Data
	for end := c.dataEnd(); n > 0; {
		if off >= end {
			return append(dst, c.last()[off-end:off-end+n]...)
		}
		i := off / c.frame(c.Each)
		at, size := i*c.frame(c.Each), min(c.Each, c.Data-i*c.Each)
		part := min(n, at+c.frame(size)-off)
		dst = appendFrame(dst, &plain, i*c.Each, size, off-at, part)
		off, n = off+part, n-part
	}
	return dst
}

// appendFrame adds n bytes from off of the chunk that holds size bytes of the
// body from start.
func appendFrame(dst []byte, body *Body, start, size, off, n int64) []byte {
	var buf [18]byte
	line := chunkLine(buf[:0], size)
	if head := int64(len(line)); off < head {
		part := min(n, head-off)
		dst = append(dst, line[off:off+part]...)
		off, n = off+part, n-part
	}
	off -= int64(len(line))
	if n > 0 && off < size {
		part := min(n, size-off)
		dst = body.Append(dst, start+off, part)
		off, n = off+part, n-part
	}
	if n > 0 {
		dst = append(dst, "\r\n"[off-size:off-size+n]...)
	}
	return dst
}
