package reference

import "sync"

// page is nginx's proxy_buffer_size and the size of one of its proxy_buffers:
// a memory page. A response header must fit into it.
const page = 4096

// The sizes of pooled buffers: a request that waits, a head or a page, a stream.
const (
	smallSize  = 1024
	streamSize = 8 * page  // proxy_buffers 8 4k
	packSize   = 10 * page // a stream's buffer with a head and a chunk's frame around it
)

var (
	smallPool  = sync.Pool{New: func() any { return new([smallSize]byte) }}
	pagePool   = sync.Pool{New: func() any { return new([page]byte) }}
	streamPool = sync.Pool{New: func() any { return new([streamSize]byte) }}
	packPool   = sync.Pool{New: func() any { return new([packSize]byte) }}
)

// lend returns at least size bytes, from a pool if one has such buffers.
func lend(size int) []byte {
	switch {
	case size <= smallSize:
		return smallPool.Get().(*[smallSize]byte)[:]
	case size <= page:
		return pagePool.Get().(*[page]byte)[:]
	case size <= streamSize:
		return streamPool.Get().(*[streamSize]byte)[:]
	case size <= packSize:
		return packPool.Get().(*[packSize]byte)[:]
	}
	return make([]byte, size)
}

// giveBack returns what lend lent; b must not be used any more.
func giveBack(b []byte) {
	switch cap(b) {
	case smallSize:
		smallPool.Put((*[smallSize]byte)(b[:smallSize]))
	case page:
		pagePool.Put((*[page]byte)(b[:page]))
	case streamSize:
		streamPool.Put((*[streamSize]byte)(b[:streamSize]))
	case packSize:
		packPool.Put((*[packSize]byte)(b[:packSize]))
	}
}

// buffer holds bytes read and not yet used. Its memory is borrowed when the
// first byte arrives, so that waiting costs none.
type buffer struct {
	// size is how much to borrow.
	size int
	b    []byte
	r, w int
}

// unread is what was read and not consumed.
func (b *buffer) unread() []byte { return b.b[b.r:b.w] }

func (b *buffer) empty() bool { return b.r == b.w }

// full is true when nothing more can be read in.
func (b *buffer) full() bool { return b.b != nil && b.w == len(b.b) }

// space is where to read the next bytes to; it borrows memory if there is none.
func (b *buffer) space() []byte {
	if b.b == nil {
		b.b = lend(b.size)[:b.size]
		b.r, b.w = 0, 0
	}
	return b.b[b.w:]
}

// rest gives the memory back if nothing is in it.
func (b *buffer) rest() {
	if b.empty() && b.b != nil {
		b.drop()
	}
}

// drop gives the memory back with everything in it.
func (b *buffer) drop() {
	if b.b != nil {
		giveBack(b.b)
	}
	b.b, b.r, b.w = nil, 0, 0
}

// resize borrows memory of another size from the next byte on; what is unread stays.
func (b *buffer) resize(size int) {
	switch {
	case b.empty():
		b.drop()
		b.size = size
	case b.size < size:
		b.grow(size)
	default:
		b.compact()
	}
}

// compact moves the unread bytes to the front.
func (b *buffer) compact() {
	if b.r > 0 {
		b.w = copy(b.b, b.b[b.r:b.w])
		b.r = 0
	}
}

// grow moves the unread bytes into memory of another size, at least as many.
func (b *buffer) grow(size int) {
	next := lend(size)[:size]
	n := copy(next, b.unread())
	if b.b != nil {
		giveBack(b.b)
	}
	b.size, b.b, b.r, b.w = size, next, 0, n
}
