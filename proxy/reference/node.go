package reference

import (
	"math"
	"time"

	"github.com/nolive/nolive/harness/clock"
	"github.com/nolive/nolive/proxy/upstream"
)

// node is one upstream block as one worker sees it: the group, and the sockets
// behind the names that the model has for idle connections.
type node struct {
	*shared
	addresses []string // host:port, or unix:/path, by peer
	watcher   *watcher
	clock     *clock.Clock

	// Under shared.mu:
	cache  *upstream.Cache
	idle   map[upstream.ConnID]*upconn
	last   upstream.ConnID
	expiry *time.Timer // runs while there are idle connections
	// expires is when it goes off, in scenario time.
	expires time.Duration
	closed  bool
}

// begin takes a client's request in.
func (n *node) begin(c *client, a upstream.Arrival) (upstream.Decision, *upconn) {
	n.settle()
	n.lock(c)
	d := c.model.Begin(n.group, n.cache, a, n.clock.Now())
	u := n.take(d)
	n.mu.Unlock()
	return d, u
}

// settle lets idle connections that have died go before a pick.
func (n *node) settle() {
	if n.cache != nil {
		n.watcher.drain()
	}
}

// take returns the socket of the idle connection to use, nil for a new one.
func (n *node) take(d upstream.Decision) *upconn {
	if d.Conn == 0 || d.Action != upstream.Try {
		return nil
	}
	u := n.idle[d.Conn]
	delete(n.idle, d.Conn)
	u.isIdle = false
	u.hot = time.Since(u.stored) < hotIdle
	return u
}

// hotIdle is how soon, in real time, a connection has to be used again to count
// as hot. A hot one isn't watched for data while it is idle, because that would
// cost two events a request; only a backend that talks unasked, in a pause
// after a burst, would be noticed late.
const hotIdle = time.Millisecond

// keep stores a connection that has just served peer; the caller ends the
// attempt under the same lock. It returns the connection to close, if any.
func (n *node) keep(u *upconn, peer, location int, now time.Duration, read upstream.Timer) (drop *upconn) {
	if n.closed || u.stirred || u.key == 0 {
		return u
	}
	if u.id == 0 {
		n.last++
		u.id = n.last
	}
	switch evicted := n.cache.Store(upstream.Served{Conn: u.id, Peer: peer, Location: location, Requests: u.requests, Opened: u.opened, Read: read}, now); evicted {
	case u.id:
		return u
	case 0:
	default:
		drop = n.idle[evicted]
		delete(n.idle, evicted)
		drop.isIdle = false
	}
	u.isIdle, u.parking, u.stored, u.until = true, false, time.Now(), n.cache.Until()
	if n.idle == nil {
		n.idle = make(map[upstream.ConnID]*upconn)
	}
	n.idle[u.id] = u
	if n.expiry == nil || u.until < n.expires {
		n.expireAt(u.until, now)
	}
	return drop
}

// expire closes the connections whose keepalive_timeout has passed.
func (n *node) expire() {
	n.mu.Lock()
	n.expiry = nil
	now := n.clock.Now()
	var old []*upconn
	next := time.Duration(math.MaxInt64)
	for id, u := range n.idle {
		if u.until > now {
			next = min(next, u.until)
			continue
		}
		n.cache.Remove(id)
		delete(n.idle, id)
		u.isIdle = false
		old = append(old, u)
	}
	if len(n.idle) > 0 && !n.closed {
		n.expireAt(next, now)
	}
	n.mu.Unlock()
	for _, u := range old {
		u.close()
	}
}

// expireAt has expire called at an instant, and not at another one any more.
func (n *node) expireAt(at, now time.Duration) {
	if n.expiry != nil {
		n.expiry.Stop()
	}
	n.expires = at
	n.expiry = time.AfterFunc(n.clock.Real(at-now), n.expire)
}

// close closes the idle connections and keeps none from now on.
func (n *node) close() {
	n.mu.Lock()
	n.closed = true
	all := n.idle
	n.idle = nil
	for id, u := range all {
		n.cache.Remove(id)
		u.isIdle = false
	}
	if n.expiry != nil {
		n.expiry.Stop()
	}
	n.mu.Unlock()
	for _, u := range all {
		u.close()
	}
}
