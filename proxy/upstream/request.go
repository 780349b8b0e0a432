package upstream

import (
	"time"

	"github.com/nolive/nolive/harness/event"
)

// Action is what a shell has to do next.
type Action uint8

// The actions.
const (
	// Try: start an attempt on Decision.Peer.
	Try Action = iota + 1
	// Pass: pass the response on to the client, then call End.
	Pass
	// Answer: answer the client with Decision.Status; the request is over.
	Answer
)

// Decision is one answer of the model.
type Decision struct {
	Action Action
	// Peer is the index in Config.Servers of the peer to try.
	Peer int
	// Conn is the idle connection to reuse, 0 for a new one.
	Conn ConnID
	// Status is the client's status: nginx's own error (Answer) or the
	// backend's (Pass). 499 when the client is gone.
	Status int
}

// Request is one request on its way through a group. The zero value is ready
// for Begin, and a finished one may Begin again, which saves allocations.
type Request struct {
	group      *Group
	cache      *Cache
	policy     Policy
	id         event.Request
	worker     int
	start      time.Duration
	tries      int
	backup     bool // which half of the group; never back to primary
	tried      bitmap
	peer       *peer
	conn       ConnID
	try        int
	idempotent bool
}

// Arrival is what Begin needs to know of a request.
type Arrival struct {
	ID     event.Request
	Method string
	// Worker is the worker that read the request.
	Worker int
	Policy Policy
}

// Begin takes a request in at now and makes the first decision: Try or Answer.
// cache is the worker's cache of idle connections, nil for none.
func (r *Request) Begin(g *Group, cache *Cache, a Arrival, now time.Duration) Decision {
	*r = Request{
		group: g, cache: cache, policy: a.Policy, id: a.ID, worker: a.Worker,
		start: now, tries: g.live, idempotent: idempotent(a.Method), tried: r.tried[:0],
	}
	if a.Policy.Tries > 0 && a.Policy.Tries < r.tries {
		r.tries = a.Policy.Tries
	}
	return r.next(now)
}

// Fail ends the running attempt without a whole response header, at now.
// Outcome is one of Refused, ConnectTimeout, SendTimeout, ReadTimeout, Reset,
// Closed, InvalidHeader. It counts whatever proxy_next_upstream says: the
// directive governs only the retry.
func (r *Request) Fail(now time.Duration, o event.Outcome) Decision {
	flag, sent := failure(o)
	cached := r.conn != 0
	status := clientStatus(flag)
	r.ended(now, o, status)
	r.release(now, failed)
	// A failed write or read on a kept-alive connection gives a free try, also
	// beyond proxy_next_upstream_tries (ngx_http_upstream_next).
	if cached && flag == Error {
		r.tries++
	}
	if r.tries == 0 || !r.permitted(flag, sent, now) {
		return Decision{Action: Answer, Status: status}
	}
	return r.next(now)
}

// Header reports a whole response header at now. A listed status is a reason to
// try the next peer only while that is possible (ngx_http_upstream_test_next);
// otherwise the response is passed on as it is and isn't a failure. So the last
// server tried is never marked for its status.
func (r *Request) Header(now time.Duration, status int) Decision {
	flag := statusFlag(status)
	if flag == 0 || r.tries <= 1 || !r.permitted(flag, true, now) {
		return Decision{Action: Pass, Status: status}
	}
	r.ended(now, event.Listed, status)
	if flag == HTTP403 || flag == HTTP404 {
		r.release(now, next)
	} else {
		r.release(now, failed)
	}
	return r.next(now)
}

// End finishes an exchange whose header was passed on, or that the client left,
// at now. Outcome is Passed, Truncated or Aborted; status is the backend's, 0
// if it gave none. None of them is a failure: an abort and a truncated body
// even bring a marked peer back (ngx_http_upstream_finalize_request).
func (r *Request) End(now time.Duration, o event.Outcome, status int) {
	r.ended(now, o, status)
	r.release(now, passed)
}

// Conn is the kept-alive connection that the running attempt uses, 0 for a new one.
func (r *Request) Conn() ConnID { return r.conn }

// Try is the number of the running attempt, from 1.
func (r *Request) Try() int { return r.try }

// permitted is the condition under which nginx goes on to another peer.
func (r *Request) permitted(need Flags, sent bool, now time.Duration) bool {
	if sent && !r.idempotent {
		need |= NonIdempotent
	}
	return r.policy.Next.allows(need) &&
		!(sent && r.policy.Unbuffered) &&
		!(r.policy.Timeout > 0 && now-r.start >= r.policy.Timeout)
}

// next picks a peer and starts an attempt, or answers "no live upstreams",
// which is never retried and hides the outcome of the last attempt.
func (r *Request) next(now time.Duration) Decision {
	r.peer = r.get(second(now))
	r.conn = 0
	if r.peer == nil {
		r.emit(event.Event{At: now, Kind: event.NoLive})
		return Decision{Action: Answer, Status: 502}
	}
	r.peer.conns++
	r.try++
	if r.cache != nil {
		r.conn = r.cache.take(r.peer.index, now)
	}
	r.emit(event.Event{At: now, Kind: event.AttemptStarted})
	return Decision{Action: Try, Peer: r.peer.index, Conn: r.conn}
}

// get is ngx_http_upstream_get_round_robin_peer.
func (r *Request) get(now int64) *peer {
	g := r.group
	if g.single {
		// Neither failures nor tried are looked at: one lone server is asked
		// every time.
		if p := &g.primary.peers[0]; !p.Down && !p.full() {
			return p
		}
		return nil
	}
	if !r.backup {
		if p := r.pick(&g.primary, now); p != nil {
			return p
		}
		if len(g.backup.peers) == 0 {
			return nil
		}
		r.backup, r.tried = true, r.tried[:0]
	}
	return r.pick(&g.backup, now)
}

func (r *Request) pick(s *set, now int64) *peer {
	p, i := s.pick(r.tried, now)
	if p != nil {
		r.tried = r.tried.with(i)
	}
	return p
}

// release is the way in which an attempt lets go of its peer.
type release uint8

const (
	passed release = iota // anything that isn't a failure
	failed
	next // 403 and 404: passed on to the next peer, but never counted
)

func (r *Request) release(now time.Duration, how release) {
	p := r.peer
	switch {
	case r.group.single:
		r.tries = 0
	case how == failed:
		if p.failed(second(now)) {
			r.emit(event.Event{At: now, Kind: event.PeerMarked})
		}
	default:
		p.passed()
	}
	p.conns--
	if r.tries > 0 {
		r.tries--
	}
}

func (r *Request) ended(now time.Duration, o event.Outcome, status int) {
	r.emit(event.Event{At: now, Kind: event.AttemptEnded, Outcome: o, Status: status})
}

// emit fills in what all events of a request share.
func (r *Request) emit(e event.Event) {
	e.Request, e.Upstream, e.Worker = r.id, r.group.cfg.Name, r.worker
	if r.peer != nil {
		e.Try, e.Peer, e.Cached = r.try, r.peer.Name, r.conn != 0
	}
	r.group.sink.Emit(e)
}
