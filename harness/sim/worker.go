package sim

import (
	"time"

	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/nginxconf"
	"github.com/nolive/nolive/proxy/upstream"
)

// worker is one worker process.
type worker struct {
	pools map[*upstream.Config]*pool
	// last is the pool that was asked for last: usually there is one.
	last *pool
}

// pool is an upstream block as a worker sees it: the group, shared where the block
// has a zone, its own cache of idle connections, nil for none, and the backends by
// the index of their server.
type pool struct {
	of       *upstream.Config
	group    *upstream.Group
	cache    *cache
	backends []*backend
}

// pool finds the pool of a block.
func (w *worker) pool(u *upstream.Config) *pool {
	if w.last == nil || w.last.of != u {
		w.last = w.pools[u]
	}
	return w.last
}

// cache is a worker's idle connections to one upstream block, with what the
// model's cache only knows by number.
type cache struct {
	model *upstream.Cache
	conns map[upstream.ConnID]*conn
	next  upstream.ConnID
}

// newWorkers makes the workers of a configuration.
func newWorkers(cfg *nginxconf.Config, backends map[string]*backend, sink event.Sink) []worker {
	shared := map[*upstream.Config]*upstream.Group{}
	workers := make([]worker, max(cfg.WorkerProcesses, 1))
	for i := range workers {
		w := worker{pools: map[*upstream.Config]*pool{}}
		for _, u := range cfg.Upstreams {
			g := shared[u]
			if g == nil {
				g = upstream.NewGroup(*u, sink)
				if u.Zone {
					shared[u] = g
				}
			}
			p := &pool{of: u, group: g}
			if m := upstream.NewCache(*u); m != nil {
				p.cache = &cache{model: m, conns: map[upstream.ConnID]*conn{}}
			}
			for _, server := range u.Servers {
				p.backends = append(p.backends, backends[server.Name])
			}
			w.pools[u] = p
		}
		workers[i] = w
	}
	return workers
}

// store keeps a connection for later if it may be kept: until the idle time-out,
// or until the backend closes it.
func (c *cache) store(s *Sim, cn *conn, read upstream.Timer, location int) {
	if cn.timer == nil {
		kept := *cn // the flight that has it goes on to something else
		cn.counted = false
		cn = &kept
		c.next++
		cn.timer = &idleTimer{cache: c, id: c.next}
	}
	id := cn.timer.id
	c.conns[id] = cn
	closed := c.model.Store(upstream.Served{Conn: id, Peer: cn.peer, Location: location, Requests: cn.exchanges, Opened: cn.opened, Read: read}, s.now)
	s.gone(c.conns[closed])
	delete(c.conns, closed)
	if closed == id {
		return
	}
	until := c.model.Until()
	if cn.ends != 0 {
		until = min(until, cn.closes)
	}
	cn.until = until
	cn.timer.move(s, until)
}

// idleTimer ends the idle time of one connection, which may have many: one that
// goes off too early goes on to the end of the present one.
type idleTimer struct {
	cache *cache
	id    upstream.ConnID
	// at is when it goes off, 0 when it isn't set.
	at time.Duration
}

// move has the timer go off at an instant at the latest.
func (t *idleTimer) move(s *Sim, at time.Duration) {
	if t.at == 0 || at < t.at {
		t.at = at
		s.push(step{at: at, do: doIdle, timer: t})
	}
}

// goesOff drops the connection if it is idle and has been for long enough.
func (t *idleTimer) goesOff(s *Sim) {
	if t.at != s.now {
		return // it was moved to an earlier instant
	}
	t.at = 0
	cn := t.cache.conns[t.id]
	switch {
	case cn == nil: // in use, or gone
	case cn.until > s.now:
		t.move(s, cn.until)
	default:
		t.cache.drop(s, t.id)
	}
}

// drop forgets an idle connection.
func (c *cache) drop(s *Sim, id upstream.ConnID) {
	if c.model.Remove(id) {
		s.gone(c.conns[id])
		delete(c.conns, id)
	}
}

// modelOrNil is the cache as the upstream model wants it: nil for none.
func (c *cache) modelOrNil() *upstream.Cache {
	if c == nil {
		return nil
	}
	return c.model
}
