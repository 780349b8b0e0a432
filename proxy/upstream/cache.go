package upstream

import (
	"math"
	"time"
)

// KeepaliveConfig is what an upstream block says about idle connections.
type KeepaliveConfig struct {
	// Connections is `keepalive N`: the capacity over all peers; 0 is no cache.
	Connections int
	// Local is `keepalive N local` (1.29.7): a connection is used again only by
	// the location that stored it.
	Local bool
	// Requests is keepalive_requests: how many exchanges one connection may
	// serve; 0 is nginx's default, see Version.KeepaliveRequests.
	Requests int
	// Time is keepalive_time: the age above which a connection isn't stored
	// again; 0 is nginx's default 1 h.
	Time time.Duration
	// Timeout is keepalive_timeout: how long a connection may idle; 0 is
	// nginx's default 60 s.
	Timeout time.Duration
}

// For is k with the defaults that a version of nginx has in the place of zeros; what
// the version doesn't limit is more than any run reaches.
func (k KeepaliveConfig) For(v Version) KeepaliveConfig {
	if k.Requests == 0 {
		k.Requests = v.KeepaliveRequests()
	}
	switch {
	case !v.LimitsAge():
		k.Time = forever
	case k.Time == 0:
		k.Time = time.Hour
	}
	switch {
	case !v.LimitsIdle():
		k.Timeout = forever
	case k.Timeout == 0:
		k.Timeout = 60 * time.Second
	}
	return k
}

// ConnID names an upstream connection of one worker; the shell hands them out, from 1.
type ConnID uint64

// Cache holds one worker's idle connections to one upstream block
// (ngx_http_upstream_keepalive_module). Taking is last in, first out per address;
// a full cache drops the one stored longest ago, whatever its peer. It never
// influences which peer is picked, and it is per worker even with a zone.
type Cache struct {
	cfg  KeepaliveConfig
	idle []idleConn // most recently stored last
}

type idleConn struct {
	conn     ConnID
	peer     int // index in Config.Servers
	location int
	until    time.Duration // when its idle time is over
}

const (
	// noLimit is more exchanges than a connection can serve.
	noLimit = math.MaxInt
	// forever is longer than a run, and short enough to be added to an instant.
	forever time.Duration = 1 << 62
)

// NewCache returns an empty cache for a block, or nil when it has none.
func NewCache(block Config) *Cache {
	if block.Keepalive.Connections <= 0 {
		return nil
	}
	return &Cache{cfg: block.Keepalive.For(block.Version)}
}

// take removes and returns the connection to the peer's address that was stored
// last, 0 for none. addresses gives every peer the number of its address: nginx
// compares socket addresses, so two peers with the same address share their
// idle connections (ngx_http_upstream_get_keepalive_peer).
func (c *Cache) take(addresses []int, peer, location int, now time.Duration) ConnID {
	for i := len(c.idle) - 1; i >= 0; i-- {
		e := c.idle[i]
		if addresses[e.peer] == addresses[peer] && (!c.cfg.Local || e.location == location) && now < e.until {
			c.idle = append(c.idle[:i], c.idle[i+1:]...)
			return e.conn
		}
	}
	return 0
}

// Served is a connection that has finished an exchange.
type Served struct {
	Conn ConnID
	// Peer is the index in Config.Servers, Location the Arrival's.
	Peer, Location int
	// Requests is how many exchanges the connection has served, Opened when it
	// was connected.
	Requests int
	Opened   time.Duration
	// Read is the timer of what is read from it, which keepalive_timeout moves like
	// any other, lazily.
	Read Timer
}

// Store keeps a connection for later if it may be kept. It returns the
// connection the shell has to close: this one, one that made room, or 0. Call
// it just before Request.End, as nginx stores in the release.
func (c *Cache) Store(s Served, now time.Duration) (closed ConnID) {
	if s.Requests >= c.cfg.Requests || now-s.Opened > c.cfg.Time {
		return s.Conn
	}
	if len(c.idle) >= c.cfg.Connections {
		closed = c.idle[0].conn
		c.idle = append(c.idle[:0], c.idle[1:]...)
	}
	s.Read.Add(now, c.cfg.Timeout)
	c.idle = append(c.idle, idleConn{s.Conn, s.Peer, s.Location, s.Read.At()})
	return closed
}

// Remove forgets an idle connection that died or whose timeout passed, and says
// whether it was there. An idle connection that gets FIN, RST or any data is
// closed without a word and without counting.
func (c *Cache) Remove(conn ConnID) bool {
	for i, e := range c.idle {
		if e.conn == conn {
			c.idle = append(c.idle[:i], c.idle[i+1:]...)
			return true
		}
	}
	return false
}

// Until is the instant at which the shell has to remove the connection that was
// stored last.
func (c *Cache) Until() time.Duration { return c.idle[len(c.idle)-1].until }

// Len is the number of idle connections.
func (c *Cache) Len() int { return len(c.idle) }
