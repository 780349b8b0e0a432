package upstream

import "time"

// KeepaliveConfig is what an upstream block says about idle connections.
type KeepaliveConfig struct {
	// Connections is `keepalive N`: the capacity over all peers; 0 is no cache.
	Connections int
	// Requests is keepalive_requests: how many exchanges one connection may
	// serve; 0 is nginx's default 1000 (1.19.10).
	Requests int
	// Time is keepalive_time: the age above which a connection isn't stored
	// again; 0 is nginx's default 1 h.
	Time time.Duration
	// Timeout is keepalive_timeout: how long a connection may idle; 0 is
	// nginx's default 60 s.
	Timeout time.Duration
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
	conn   ConnID
	peer   int // index in Config.Servers
	stored time.Duration
}

// NewCache returns an empty cache, or nil when the block has none.
func NewCache(cfg KeepaliveConfig) *Cache {
	if cfg.Connections <= 0 {
		return nil
	}
	if cfg.Requests == 0 {
		cfg.Requests = 1000
	}
	if cfg.Time == 0 {
		cfg.Time = time.Hour
	}
	if cfg.Timeout == 0 {
		cfg.Timeout = 60 * time.Second
	}
	return &Cache{cfg: cfg}
}

// take removes and returns the connection to the peer's address that was stored
// last, 0 for none. addresses gives every peer the number of its address: nginx
// compares socket addresses, so two peers with the same address share their
// idle connections (ngx_http_upstream_get_keepalive_peer).
func (c *Cache) take(addresses []int, peer int, now time.Duration) ConnID {
	for i := len(c.idle) - 1; i >= 0; i-- {
		if e := c.idle[i]; addresses[e.peer] == addresses[peer] && now-e.stored < c.cfg.Timeout {
			c.idle = append(c.idle[:i], c.idle[i+1:]...)
			return e.conn
		}
	}
	return 0
}

// Store keeps conn for later if it may be kept: requests is how many exchanges
// it has served, opened when it was connected, peer the index in Config.Servers.
// It returns the connection the shell has to close: conn itself, one that made
// room, or 0. Call it just before Request.End, as nginx stores in the release.
func (c *Cache) Store(conn ConnID, peer, requests int, opened, now time.Duration) (closed ConnID) {
	if requests >= c.cfg.Requests || now-opened > c.cfg.Time {
		return conn
	}
	if len(c.idle) >= c.cfg.Connections {
		closed = c.idle[0].conn
		c.idle = append(c.idle[:0], c.idle[1:]...)
	}
	c.idle = append(c.idle, idleConn{conn, peer, now})
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

// Timeout is how long a stored connection may idle before the shell removes it.
func (c *Cache) Timeout() time.Duration { return c.cfg.Timeout }

// Len is the number of idle connections.
func (c *Cache) Len() int { return len(c.idle) }
