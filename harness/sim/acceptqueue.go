package sim

import "github.com/nolive/nolive/backends/fault"

// connectAgain completes a connect if there is room in the backend's accept queue.
// Else the kernel drops the SYN, and what it is sent again decides.
func (s *Sim) connectAgain(f *flight, x *exchange) {
	if !x.b.admits(x.b.door(s.now)) {
		s.connectLater(f, x)
		return
	}
	s.connected(f, x)
}

// admits says whether the kernel completes a connect, and queues it: while nothing
// is accepted there is room for one more than listen(2) was told
// (sk_acceptq_is_full). Who has left meanwhile still takes up room.
func (b *backend) admits(door fault.Door) bool {
	switch {
	case door != fault.Frozen || b.backlog == 0:
		return true
	case b.queued > b.backlog:
		return false
	}
	b.queued++
	return true
}
