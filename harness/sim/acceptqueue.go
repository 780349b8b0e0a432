package sim

import (
	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/event"
)

// connectAgain completes a connect if there is room in the backend's accept queue.
// Else the kernel drops the SYN, and what it is sent again decides. Over a unix socket
// it says EAGAIN at once, which to nginx is like a refusal (ngx_event_connect_peer).
func (s *Sim) connectAgain(f *flight, x *exchange) {
	switch {
	case x.b.admits(x.b.door(s.now)):
		s.connected(f, x)
	case x.b.unix:
		f.req.QueueFull()
		s.due(f, s.now, doFail, event.Refused)
	default:
		s.connectLater(f, x)
	}
}

// admits says whether the kernel completes a connect, and queues it: while nothing
// is accepted, because the process stands still or has as many connections as it
// takes, there is room for one more than listen(2) was told (sk_acceptq_is_full).
// Who has left meanwhile still takes up room.
func (b *backend) admits(door fault.Door) bool {
	if b.backlog == 0 || door != fault.Frozen && !b.full() {
		return true
	}
	if b.queued+len(b.crowd.waiting) > b.backlog {
		return false
	}
	if door == fault.Frozen {
		b.queued++
	}
	return true
}
