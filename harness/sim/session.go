package sim

import (
	"time"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/upstream"
)

// A flight to a stream server is a session: the client's connection is passed on
// as it is, and its request with it. What the backend sends the client gets at
// once, whole or not.

// beginSession lets the proxy accept the client's connection.
func (s *Sim) beginSession(f *flight) {
	pass := f.trip.Stream
	a := f.trip.Arrival
	a.ID, a.Worker, a.Seed = f.id, f.number, s.plan.Seed
	s.follow(f, f.req.Begin(s.workers[f.worker].pool(pass.Upstream).group, nil, a, s.now))
}

// dial connects the session to a peer.
func (s *Sim) dial(f *flight, d upstream.Decision) {
	pass := f.trip.Stream
	b := s.workers[f.worker].pool(pass.Upstream).backends[d.Peer]
	s.knock(f, b, d.Peer, pass.ConnectTimeout)
}

// established passes on what the client has sent. Whether it is still there nginx
// finds out only now: it has read and sent everything before it meets the end
// (ngx_stream_proxy_process), so a backend has a request of nobody.
func (s *Sim) established(f *flight, x *exchange) {
	f.req.Connected(s.now)
	f.passing, f.asked = true, s.now
	x.request, x.trip, x.f, x.gen = f.id, f.trip, f, f.gen
	at, ok := x.b.doors.Thaw(s.now)
	if f.deserted {
		late := x.outlive()
		s.endSession(f)
		if ok {
			s.push(step{at: at, do: doRead, x: late})
		}
		return
	}
	if ok && at == s.now {
		s.readBy(x)
		return
	}
	f.sights = f.sights[:0]
	s.expire(f, f.asked)
	if ok {
		s.push(step{at: at, do: doRead, x: x.outlive()})
	}
}

// expire ends the session when nothing has passed since the instant last.
func (s *Sim) expire(f *flight, last time.Duration) {
	f.cut = 0
	s.endAs(f, last+f.trip.Stream.Timeout, 0)
}

// heard finds the end of a session from what the backend lets be seen: the client
// leaves once it has the whole answer, or something that is none; the backend ends it;
// or nothing passes for proxy_timeout.
func (s *Sim) heard(f *flight, script *fault.Script, sights []fault.Sight) {
	f.script, f.sights, f.cut = script, sights, 0
	f.gen++ // overtakes the time-out that was due before the thaw
	got := int64(0)
	var patience upstream.Timer
	patience.Add(f.asked, f.trip.Stream.Timeout)
	for _, v := range sights {
		if v.At > patience.At() {
			break
		}
		if v.Bytes > got {
			got = v.Bytes
			patience.Add(v.At, f.trip.Stream.Timeout)
			if o, status, over := s.clients.told(question{script, f.trip.Method}, got); over {
				f.status = status
				s.due(f, v.At, doEnd, o)
				return
			}
		}
		if v.End != 0 {
			if v.End == fault.Reset {
				f.cut = event.Reset
			}
			s.endAs(f, v.At, got)
			return
		}
	}
	s.endAs(f, patience.At(), got)
}

// endAs ends the session at an instant by which the client got so many bytes. However
// it ended for nginx, it closes the client's connection in order.
func (s *Sim) endAs(f *flight, at time.Duration, got int64) {
	var o event.Outcome
	o, f.status = s.clients.left(question{f.script, f.trip.Method}, got)
	s.due(f, at, doEnd, o)
}

// endSession ends a session that was connected: nginx logs 200 whatever became of it.
func (s *Sim) endSession(f *flight) {
	s.leave(f)
	f.req.Relayed(s.now, f.cut)
	s.finish(f, 200, f.outcome, f.status)
}

// clientLeaves ends a session whose client doesn't wait any longer. While nginx is
// still connecting it doesn't look.
func (s *Sim) clientLeaves(f *flight) {
	if !f.passing {
		f.deserted = true
		s.respond(f, event.ClientTimeout, 0)
		return
	}
	s.leave(f)
	f.req.Relayed(s.now, 0)
	s.finish(f, 200, event.ClientTimeout, 0)
}
