package sim

import (
	"time"

	"github.com/nolive/nolive/harness/event"
)

// oneWindow is how much of a response comes at once: of 64 KiB nginx 1.22.1 read all
// behind a client that had left, of 68 to 140 now and then, of 200 never. With the head
// that is this.
const oneWindow = 65 << 10

// unheard is the instant at which a write to a client that has left ends the exchange
// with the backend, never if none does. The first write succeeds and is answered with
// RST, so the second one fails, and that ends it although proxy_ignore_client_abort is on
// (ngx_event_pipe, downstream_error), unless all of the response has come: nginx reads on
// then while something is there. With proxy_buffering off it doesn't
// (ngx_http_upstream_process_non_buffered_request).
func (f *flight) unheard() time.Duration {
	r := f.reading
	if !f.deserted || r.bare() {
		return never
	}
	// What goes out with one write: proxy_busy_buffers_size, or the one buffer.
	most := 2 * int64(max(r.key.first, r.key.buffers))
	if r.unbuffered {
		most = int64(r.key.first)
	}
	p, writes, begun := r.passage(), int64(0), false
	for i, v := range f.sights {
		if i+1 < len(f.sights) && f.sights[i+1].At == v.At {
			continue // read together
		}
		came := v.Bytes - p.read
		late := v.At > f.left
		if late && came > oneWindow {
			return v.At
		}
		passed, err := p.take(v)
		n := (passed + most - 1) / most
		if r.unbuffered && !begun && v.Bytes >= r.headEnd {
			n, begun = max(n, 1), true // the header doesn't wait for a body
		}
		if late {
			writes += n
		}
		over := err != nil || v.End != 0 || r.end >= 0 && v.Bytes >= r.end
		if over && (!r.unbuffered || writes <= 2) {
			return never
		}
		if writes > 1 {
			return v.At
		}
	}
	return never
}

// desert lets the client of a request leave that the proxy goes on with.
func (s *Sim) desert(f *flight) {
	f.deserted, f.left = true, s.now
	if !f.passing || f.upgraded {
		return
	}
	if at := f.unheard(); at < never && at <= f.over {
		s.due(f, at, doEnd, event.Aborted)
	}
}
