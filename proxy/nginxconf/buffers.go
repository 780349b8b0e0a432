package nginxconf

import "math"

// bufferSizes is what one level says about buffers for responses, in bytes; 0 is
// "nothing, inherit".
type bufferSizes struct {
	first, number, size, busy int64
	// at is the directive that said something last.
	at *Directive
}

// read takes a directive in. Its form was checked.
func (b *bufferSizes) read(d *Directive) {
	b.at = d
	switch d.Name.Text {
	case "proxy_buffer_size":
		b.first = size(d.Arg(0), "km")
	case "proxy_buffers":
		b.number, b.size = number(d.Arg(0)), size(d.Arg(1), "km")
	case "proxy_busy_buffers_size":
		b.busy = size(d.Arg(0), "km")
	}
}

// over fills what the level leaves open from the level outside of it.
func (b bufferSizes) over(outer bufferSizes) bufferSizes {
	if b.first <= 0 {
		b.first = outer.first
	}
	if b.size <= 0 {
		b.number, b.size = outer.number, outer.size
	}
	if b.busy <= 0 {
		b.busy = outer.busy
	}
	if b.at == nil {
		b.at = outer.at
	}
	return b
}

// filled has nginx's defaults: a memory page, and eight of them.
func (b bufferSizes) filled() bufferSizes {
	b = b.over(bufferSizes{first: pageSize, number: 8, size: pageSize})
	if b.busy <= 0 {
		b.busy = 2 * max(b.first, b.size)
	}
	return b
}

// sizes are proxy_buffer_size, the size of one of proxy_buffers, and
// proxy_busy_buffers_size.
func (b bufferSizes) sizes() (first, each, busy int) {
	b = b.filled()
	return int(min(b.first, math.MaxInt32)), int(min(b.size, math.MaxInt32)), int(min(b.busy, math.MaxInt32))
}

// buffersFit is what nginx checks of a level's buffers
// (ngx_http_proxy_merge_loc_conf). A larger proxy_buffer_size alone is the usual
// mistake: it needs larger proxy_buffers too.
func (in *interpreter) buffersFit(pass *Directive, b bufferSizes) {
	at := pass
	if b.at != nil {
		at = b.at
	}
	b = b.filled()
	switch {
	case b.number < 2:
		in.out.add(at.Pos(), "", "there must be at least 2 \"proxy_buffers\"")
	case b.busy < max(b.first, b.size):
		in.out.add(at.Pos(), "", "\"proxy_busy_buffers_size\" must be equal to or greater than the maximum of the value of \"proxy_buffer_size\" and one of the \"proxy_buffers\"")
	case b.busy > (b.number-1)*b.size:
		in.out.add(at.Pos(), "make proxy_buffers larger too", "\"proxy_busy_buffers_size\" must be less than the size of all \"proxy_buffers\" minus one buffer")
	}
}
