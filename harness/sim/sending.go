package sim

import (
	"math"
	"slices"
	"time"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/upstream"
)

// kernelTakes is how much of a request Linux takes for a backend on loopback that
// doesn't read, both ends' buffers together: 3.75 MiB where it was measured, with
// nginx and with the reference proxy, and with its default tcp_wmem between 2 and
// 4 MiB. Nginx waits to send the rest.
const kernelTakes = 3840 << 10

// socketTakes is the same for a unix socket, where the sender's buffer is the only
// one: with nginx between 176 and 208 KiB, with the reference proxy up to 240.
const socketTakes = 192 << 10

// takes is how much of a request the kernel takes for a backend that doesn't read.
func (b *backend) takes() int64 {
	if b.unix {
		return socketTakes
	}
	return kernelTakes
}

// never is later than any instant of a run.
const never time.Duration = math.MaxInt64

// writes is the size of a request that the proxy is still writing when a backend
// answers it at once: 1 MiB, where with nginx 1.22.1 it was every other one. From
// 2 MiB on it is nearly every one, below 8 KiB none.
const writes = 1 << 20

// unseen says whether an answer at an instant isn't read, because the connection is
// reset behind it while the proxy writes: the write fails, and nothing is read then
// (ngx_http_upstream_send_request).
func (f *flight) unseen(sights []fault.Sight, at time.Duration) bool {
	if at > f.asked || f.trip.Body < writes || f.trip.Spent {
		return false
	}
	return slices.ContainsFunc(sights, func(v fault.Sight) bool { return v.At == at && v.End == fault.Reset })
}

// beginSending begins to send the request.
func (f *flight) beginSending(now time.Duration) {
	f.asked, f.sentBy = now, now
	if f.trip.Body > f.conn.b.takes() && !f.trip.Spent {
		f.sentBy = never
	}
	f.await()
}

// await sets the timer of what is read from the backend, which runs from the
// instant at which the request was sent whole.
func (f *flight) await() {
	f.read = upstream.Timer{}
	if f.sentBy != never {
		f.read.Add(f.sentBy, f.trip.Step.Pass.ReadTimeout)
	}
}

// takeUp finds when the rest of a large request can be sent, given what the
// backend reads of it from now on. proxy_send_timeout runs between two writes, but
// the kernel asks for more only when a third of its buffer is free, so what is read
// of a body before there is room for all of it doesn't count.
func (s *Sim) takeUp(f *flight, x *exchange, script *fault.Script) {
	if f.trip.Stream != nil || f.sentBy <= s.now {
		return
	}
	left := x.trip.Body
	for i, st := range script.Steps {
		switch st.Op {
		case fault.ReadAll:
			left = 0
		case fault.ReadBody:
			left -= st.Len
		case fault.Stall, fault.Close, fault.Reset, fault.Echo:
			return // nothing more is read
		}
		// A connection that is kept is read to the end of the request.
		if left > x.b.takes() && i+1 < len(script.Steps) {
			continue
		}
		before := *script
		before.Steps = script.Steps[:i+1]
		if at, ok := before.Ends(s.now, x.b.doors.Thaw); ok {
			f.sentBy = at
			f.await()
		}
		return
	}
}

// patience is how long the proxy waits for a byte, from f.asked on, and what it
// calls the end of that.
func (f *flight) patience() (time.Duration, event.Outcome) {
	if f.trip.Stream != nil {
		return f.trip.Stream.Timeout, 0
	}
	pass := f.trip.Step.Pass
	if f.sentBy-f.asked > pass.SendTimeout {
		return pass.SendTimeout, event.SendTimeout
	}
	return f.sentBy - f.asked + pass.ReadTimeout, event.ReadTimeout
}

// silent is a backend from which nothing comes: what is due is the end of patience.
func (s *Sim) silent(f *flight) {
	if f.trip.Stream != nil {
		s.expire(f, f.asked)
		return
	}
	wait, how := f.patience()
	s.due(f, f.asked+wait, doFail, how)
}
