package nginxconf

import (
	"cmp"
	"math"
)

const (
	// defaultBodyBuffer is client_body_buffer_size without the directive: two pages.
	defaultBodyBuffer = 2 * pageSize
	// headBuffer is client_header_buffer_size, and largeHeadBuffer one of
	// large_client_header_buffers, which a head gets that doesn't fit into the first.
	headBuffer, largeHeadBuffer = 1 << 10, 8 << 10
)

// bodyBuffer reads client_body_buffer_size.
func bodyBuffer(d *Directive) *int {
	if n := size(d.Arg(0), "km"); n > 0 {
		b := int(min(n, math.MaxInt32))
		return &b
	}
	return nil
}

// Streams says whether a request's body is passed on as it comes
// (ngx_http_proxy_handler). A body of the configuration's own is always whole, and
// chunks are passed on only to a backend that knows them.
func (p *Pass) Streams(chunked bool) bool {
	return p.StreamsBody && p.body == nil && !p.NoRequestBody && (!chunked || p.HTTP11)
}

// Spools says whether nginx writes a body of so many bytes into a file, because it
// reads all of it before it passes the request on and its buffer is too small. head and
// there are as for Ahead.
func (p *Pass) Spools(head int, there, length int64, chunked bool) bool {
	return !p.Streams(chunked) && length > p.Ahead(head, there, false)
}

// Ahead is how many bytes of a streamed body nginx reads before it looks for a
// backend. A body of at most as many that is all there by then counts as buffered
// whatever proxy_request_buffering says, and its request may be tried again
// (ngx_http_read_client_request_body). head is the length of the request's head,
// there is how much of the body came with it. Chunks count with their framing.
func (p *Pass) Ahead(head int, there int64, chunked bool) int64 {
	first := headBuffer
	if head > headBuffer {
		first = largeHeadBuffer
	}
	n := int64(cmp.Or(p.BodyBuffer, defaultBodyBuffer))
	if !chunked {
		n += n/4 - 1 // one that is a little larger gets a buffer of its size
	}
	return min(there, int64(max(first-head, 0))) + n
}
