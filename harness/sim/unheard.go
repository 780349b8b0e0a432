package sim

import (
	"time"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/event"
)

// oneWindow is how much of a body comes at once: of 64 KiB nginx 1.22.1 read all behind
// a client that had left, of 68 to 140 now and then, of 200 never.
const oneWindow = 65 << 10

// postponed is how large a head is by itself a write: postpone_output, less what nginx
// adds to it, as Server, Date and Connection.
const postponed = 1460 - 85

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
	p, writes, begun := r.passage(), int64(0), false
	for i, v := range f.sights {
		if i+1 < len(f.sights) && f.sights[i+1].At == v.At {
			continue // read together
		}
		came := v.Bytes - p.read
		late := v.At > f.left
		passed, err := p.take(v)
		n := r.writes(passed)
		if !begun && v.Bytes >= r.headEnd {
			n, begun = r.firstWrites(passed), true
		}
		if late {
			writes += n
		}
		whole := r.end >= 0 && v.Bytes >= r.end
		switch {
		case writes <= 1 && (err != nil || v.End != 0 || whole):
			return never
		case writes <= 1:
		case r.unbuffered && writes == 2 && (whole || r.endless() && v.End == fault.Close):
			return never // the second write's are the last bytes
		case !r.unbuffered && came <= oneWindow && (err != nil || v.End != 0 || whole):
			return never
		default:
			return v.At
		}
	}
	return never
}

// writes is how many writes nginx makes of so many bytes of the body that it passes on at
// one instant: proxy_busy_buffers_size with each, or with proxy_buffering off one buffer.
func (r *reading) writes(passed int64) int64 {
	most := int64(r.key.busy)
	if r.unbuffered {
		most = int64(r.key.first)
	}
	return (passed + most - 1) / most
}

// firstWrites is the same for the instant at which the head is there, with which passed
// bytes of the body are passed on. With proxy_buffering off it doesn't wait for any, and
// lies in the first buffer.
func (r *reading) firstWrites(passed int64) int64 {
	head, n := int64(r.head.At), r.writes(passed)
	if r.unbuffered {
		n = r.writes(head + passed)
	}
	if head >= postponed && (passed > 0 || !r.unbuffered) {
		n++
	}
	return n
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
