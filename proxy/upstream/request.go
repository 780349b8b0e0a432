package upstream

import (
	"time"

	"github.com/nolive/nolive/harness/event"
)

// Request is one request on its way through a group. The zero value is ready
// for Begin, and a finished one may Begin again, which saves allocations.
type Request struct {
	group      *Group
	cache      *Cache
	policy     Policy
	id         event.Request
	worker     int
	location   int
	start      time.Duration
	tries      int
	backup     bool // which half of the group; never back to primary
	tried      bitmap
	peer       *peer
	conn       ConnID
	try        int
	idempotent bool
	balancing
	gone bool // the client has left, noticed while nginx didn't watch it
	// why the attempt fails, as far as the outcome doesn't say it
	tooBig, queueFull bool
	badHeader         string
	handshake         string
}

// Arrival is what Begin needs to know of a request.
type Arrival struct {
	ID     event.Request
	Method string
	// Worker is the worker that read the request.
	Worker int
	// Location names the location that passes the request on: connections that
	// are kept in `local` mode stay with theirs.
	Location int
	Policy   Policy
	// ClientAddr is the client's address, 4 or 16 bytes; nil for none, such as
	// a client on a unix socket. ip_hash needs it.
	ClientAddr []byte
	// Key is the value of Config.Key for this request.
	Key string
	// Seed is the key of the draws of `random`.
	Seed uint64
	// Before is how many attempts the request made before it came here: an error
	// page may pass it on again. Its attempts are numbered on from there.
	Before int
}

// Begin takes a request in at now and makes the first decision: Try or Answer.
// cache is the worker's cache of idle connections, nil for none.
func (r *Request) Begin(g *Group, cache *Cache, a Arrival, now time.Duration) Decision {
	*r = Request{
		group: g, cache: cache, policy: a.Policy, id: a.ID, worker: a.Worker, location: a.Location,
		start: now, tries: g.live, tried: r.tried.emptied(),
		idempotent: idempotent(a.Method) || g.cfg.Version.RepeatsAnyMethod(),
	}
	if a.Policy.Tries > 0 && a.Policy.Tries < r.tries {
		r.tries = a.Policy.Tries
	}
	r.try = a.Before
	r.prepare(&a)
	return r.next(now)
}

// Fail ends the running attempt without a whole response header, at now.
// Outcome is one of Refused, ConnectTimeout, SendTimeout, ReadTimeout, Reset,
// Closed, InvalidHeader. It counts whatever proxy_next_upstream says: the
// directive governs only the retry.
func (r *Request) Fail(now time.Duration, o event.Outcome) Decision {
	flag, sent := failure(o)
	stale := r.conn != 0 && flag == Error
	status, always := clientStatus(flag), false
	if stale && r.group.cfg.Version.AlwaysRepeatsCached() && !(sent && r.policy.Unbuffered) {
		status, always = 0, true // the attempt gets no status of its own
	}
	if r.group.cfg.Stream {
		status = 502 // for the session; an attempt has no status of its own
		r.release(now, failed, o, 0)
	} else {
		r.release(now, failed, o, status)
	}
	// A failed write or read on a kept-alive connection gives a free try, also
	// beyond proxy_next_upstream_tries (ngx_http_upstream_next).
	if stale {
		r.tries++
	}
	switch {
	case r.gone:
		return Decision{Action: Answer, Status: 499}
	case always:
		return r.next(now)
	case r.tries == 0 || !r.permitted(flag, sent, now):
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
	if !r.listed(flag, now) {
		return Decision{Action: Pass, Status: status}
	}
	how := failed
	if flag == HTTP403 || flag == HTTP404 {
		how = next
	}
	status = r.group.cfg.Version.listedStatus(status)
	r.release(now, how, event.Listed, status)
	switch {
	case r.gone:
		return Decision{Action: Answer, Status: 499}
	case !r.permitted(flag, true, now): // only where CountsListedFirst
		return Decision{Action: Answer, Status: status}
	}
	return r.next(now)
}

// End finishes an exchange whose header was passed on, or that the client left,
// at now. Outcome is Passed, Truncated or Aborted; status is the backend's, 0
// if it gave none. None of them is a failure: an abort and a truncated body
// even bring a marked peer back (ngx_http_upstream_finalize_request).
func (r *Request) End(now time.Duration, o event.Outcome, status int) {
	r.release(now, passed, o, status)
}

// Cut is End for a response that broke off after its header, and says how:
// Closed, Reset or ReadTimeout, for the error log. The outcome is Truncated.
func (r *Request) Cut(now time.Duration, how event.Outcome, status int) {
	r.emit(event.Event{At: now, Kind: event.AttemptEnded, Outcome: event.Truncated, Status: status, Detail: how.String()})
	r.letGo(now, passed)
}

// Gone notes that the client's connection is broken although nobody ended the
// attempt for it (proxy_ignore_client_abort, or the attempt fails in the same
// moment). A failure is then counted as ever, but nothing is tried any more and
// the request is logged as 499 (ngx_http_upstream_next).
func (r *Request) Gone() { r.gone = true }

// TooBig notes that the header which fails next doesn't fit proxy_buffer_size,
// for the error log.
func (r *Request) TooBig() { r.tooBig = true }

// BadHeader notes what is wrong with the header which fails next, in the words of the
// error log but for what nginx was doing.
func (r *Request) BadHeader(why string) { r.badHeader = why }

// Handshaking notes that the connect which fails next stood, and its TLS handshake
// failed, and why, in the words of the error log but for what nginx was doing.
func (r *Request) Handshaking(why string) { r.handshake = why }

// QueueFull notes that the connect which fails next found the accept queue of a unix
// socket full, for the error log.
func (r *Request) QueueFull() { r.queueFull = true }

// NoStatusLine tells, for the error log, of a response that begins with no status line.
// nginx takes it for one of HTTP/0.9 (ngx_http_proxy_process_status_line).
func (r *Request) NoStatusLine(now time.Duration) {
	r.emit(event.Event{At: now, Kind: event.Logged, Detail: noStatusLine})
}

// Dropped tells, for the error log, of a header line of the response that nginx dropped,
// as BadHeader does.
func (r *Request) Dropped(now time.Duration, line string) {
	r.emit(event.Event{At: now, Kind: event.Logged, Detail: line + whileHeading})
}

// Try is the number of the running attempt, from 1.
func (r *Request) Try() int { return r.try }

// listed says whether a status is a reason to try the next peer now. tries
// still has the running attempt in it, so more than 1 is "at least one more".
func (r *Request) listed(flag Flags, now time.Duration) bool {
	if flag == 0 || r.tries <= 1 {
		return false
	}
	if r.group.cfg.Version.CountsListedFirst() {
		return r.policy.Next.allows(flag)
	}
	return r.permitted(flag, true, now)
}

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
	backup := r.backup
	r.peer = r.get(second(now))
	r.conn = 0
	if r.peer == nil {
		if g := r.group; g.cfg.Version.ForgivesWhenNoneIsLive() && g.cfg.Method != ConsistentHash {
			g.forgive(backup)
		}
		r.emit(event.Event{At: now, Kind: event.NoLive})
		return Decision{Action: Answer, Status: 502}
	}
	r.peer.conns++
	r.try++
	if r.cache != nil {
		r.conn = r.cache.take(r.group.addresses, r.peer.index, r.location, now)
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
		if len(g.backup.peers) == 0 || g.cfg.Method == ConsistentHash && g.cfg.Version.SearchesWholeRing() {
			return nil
		}
		r.backup, r.tried = true, r.tried.emptied()
	}
	return r.pick(&g.backup, now)
}

func (r *Request) pick(s *set, now int64) *peer {
	p, i := r.choose(s, now)
	if p != nil {
		r.tried.add(i)
	}
	return p
}

// emit fills in what all events of a request share.
func (r *Request) emit(e event.Event) {
	e.Request, e.Upstream, e.Worker = r.id, r.group.cfg.Name, r.worker
	if r.peer != nil {
		e.Try, e.Peer, e.Cached = r.try, r.peer.Name, r.conn != 0
	}
	if l := r.group.logger; l != nil {
		l.stream = r.group.cfg.Stream
	}
	r.group.sink.Emit(e)
}
