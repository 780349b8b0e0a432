package sim

import (
	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/upstream"
)

// notice ends a request whose client left during an earlier pass, which ignored that,
// at the first attempt of one that doesn't: nginx looks for the client's end as soon as
// it has begun to connect (ngx_http_upstream_init_request). Before 1.19.9 it wasn't
// told again.
func (s *Sim) notice(f *flight, d upstream.Decision) {
	pass := f.trip.Step.Pass
	p := s.workers[f.worker].pool(pass.Upstream)
	b := p.backends[d.Peer]
	f.passing, f.status, f.script = false, 0, nil
	then := doGone // a connection on which nothing comes
	if d.Conn != 0 {
		f.conn = p.cache.conns[d.Conn]
		delete(p.cache.conns, d.Conn)
		then = doRead // where the request goes out at once
	} else {
		f.own = conn{b: b, opened: s.now, peer: d.Peer}
		f.conn = &f.own
	}
	f.x = exchange{b: b, conn: f.conn, request: f.id, trip: f.trip, f: f, gen: f.gen}
	f.gen++
	if door := b.door(s.now); door == fault.Open || door == fault.Frozen {
		if at, ok := b.doors.Thaw(max(s.now, f.conn.busy)); ok {
			s.push(step{at: at, do: then, x: f.x.outlive()})
		}
	}
	s.leave(f)
	f.req.End(s.now, event.Aborted, 0)
	s.finish(f, 499, event.ClientTimeout, 0)
}
