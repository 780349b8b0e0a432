package live

import (
	"slices"
	"sync"

	"github.com/nolive/nolive/harness/scenario"
)

// idle holds the kept-alive connections of one user, or of all requests of an
// open loop. The one used last is used first.
type idle struct {
	mu     sync.Mutex
	conns  []*conn
	closed bool
}

// take returns a connection from an address that is still alive, nil when there
// is none.
func (i *idle) take(from scenario.Address) *conn {
	i.mu.Lock()
	defer i.mu.Unlock()
	for n := len(i.conns) - 1; n >= 0; n-- {
		c := i.conns[n]
		if c.from != from {
			continue
		}
		i.conns = slices.Delete(i.conns, n, n+1)
		if c.alive() {
			return c
		}
		c.close()
	}
	return nil
}

// put keeps a connection for a later request.
func (i *idle) put(c *conn) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.closed {
		c.cut()
		return
	}
	i.conns = append(i.conns, c)
}

// close closes what is idle now and what is put later.
func (i *idle) close() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.closed = true
	for _, c := range i.conns {
		c.cut()
	}
	i.conns = nil
}
