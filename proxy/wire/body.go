package wire

// Body follows the body of one response: where it ends, and how much of what has
// arrived is looked at. nginx fills pages, the header in the first of them, and
// looks at one when it is full or when it holds all that is known to come
// (ngx_event_pipe_read_upstream). Until then nothing of it is passed on, no
// broken chunk in it is noticed, and a reset or a time-out loses it.
type Body struct {
	// Complete is true once the whole body was read.
	Complete bool
	// Over is true once more than Content-Length has come, and was passed on.
	Over bool

	// passes is true where it is (Version.PassesMore).
	passes  bool
	chunked bool
	chunks  Chunks
	left    int64 // of Content-Length, -1 when only the connection's end says
	// size is that of a page (proxy_buffers), room what is left of the one that
	// is being filled.
	size, room int
}

// Begin is the body behind a head that took up headSize bytes of the first page,
// whose size is first (proxy_buffer_size). bodyless is true for what never has
// one: an answer to HEAD, and the statuses 204 and 304 whatever it is.
func (b *Body) Begin(h *Head, bodyless bool, headSize, first, size int) {
	*b = Body{chunked: h.Chunked, left: h.Length, passes: h.version.PassesMore(), size: size, room: first - headSize}
	if b.chunked {
		b.left = -1
		b.chunks = ChunksOf(h.version)
	}
	if bodyless || h.Status == 204 || h.Status == 304 {
		b.left, b.chunked = 0, false
	}
	b.Complete = b.left == 0
}

// Starved is true when the header fills its page to the last byte and a body
// should follow: nginx then reads into a buffer without room, gets 0 bytes and
// takes that for the end of the connection (ngx_event_pipe_read_upstream). With
// proxy_buffering off it doesn't.
func (b *Body) Starved() bool { return !b.Complete && b.room == 0 }

// Framed is true when the body says itself where it ends.
func (b *Body) Framed() bool { return b.chunked || b.left >= 0 }

// Chunked is true when Decode takes framing out.
func (b *Body) Chunked() bool { return b.chunked }

// Left is what is missing of Content-Length, -1 when the length isn't known.
func (b *Body) Left() int64 { return b.left }

// Ready is how many of n bytes that wait are looked at now. end is true when no
// more can come.
func (b *Body) Ready(n int, end bool) int {
	switch {
	case b.Complete:
		return 0
	case end:
	case n >= b.room:
		n = b.room + (n-b.room)/b.size*b.size
	case !b.expected(n):
		return 0
	}
	b.room = b.size
	return n
}

// Missing is how many more bytes than n have to come before Ready is more than 0.
func (b *Body) Missing(n int) int64 {
	need := int64(b.room)
	switch {
	case b.chunked:
		need = min(need, b.chunks.Need())
	case b.left >= 0:
		need = min(need, b.left)
	}
	return max(need-int64(n), 1)
}

// expected says whether n bytes are all that is known to come.
func (b *Body) expected(n int) bool {
	switch {
	case b.chunked:
		return int64(n) >= b.chunks.Need()
	case b.left >= 0:
		return int64(n) >= b.left
	}
	return false
}

// Decode takes the framing out of p, in place: p[:n] is the data it holds,
// p[used:] what follows the end of the body. ErrChunk: the framing is broken.
func (b *Body) Decode(p []byte) (n, used int, err error) {
	switch {
	case b.chunked:
		n, used, err = b.chunks.Decode(p)
		b.Complete = b.chunks.Done
		return n, used, err
	case b.left >= 0 && b.passes:
		used = len(p)
		b.Over = int64(used) > b.left
		b.left = max(b.left-int64(used), 0)
		b.Complete = b.left == 0
	case b.left >= 0:
		used = int(min(int64(len(p)), b.left))
		b.left -= int64(used)
		b.Complete = b.left == 0
	default:
		used = len(p)
	}
	return used, used, nil
}
