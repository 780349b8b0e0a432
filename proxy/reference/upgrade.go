package reference

import (
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nolive/nolive/harness/event"
)

// upgraded passes bytes both ways once a client and a backend have agreed on another
// protocol (ngx_http_upstream_upgrade).
type upgraded struct {
	*relay
	// over is true once one side has ended; moved is when a byte last passed, in
	// nanoseconds of real time since began.
	over  atomic.Bool
	moved atomic.Int64
	began time.Time
}

// upgrades says whether the response is a 101 to a client that asked for it.
func (r *relay) upgrades() bool { return r.c.rs.Status == 101 && r.c.rq.upgrade }

// upgrade serves the connection until one side ends it, or nothing has come from
// the backend for proxy_read_timeout. Each of them is an end as it should be.
func (r *relay) upgrade() {
	c, up := r.c, r.attempt.up
	c.rq.keepAlive, c.rs.Keep = false, false
	// A client that leaves ends the tunnel when what it has sent is out.
	c.ignore()
	c.use(&up.sock)
	t := &upgraded{relay: r, began: time.Now()}
	if r.write(c.rb.unread()) == nil {
		c.rb.r = c.rb.w
		_ = c.sock.conn.SetDeadline(time.Time{})
		_ = up.conn.SetDeadline(time.Time{})
		var both sync.WaitGroup
		both.Go(func() {
			defer t.end()
			if _, err := up.conn.Write(c.in.unread()); err == nil {
				t.pipe(&up.sock, &c.sock, 0)
			}
		})
		t.pipe(&c.sock, &up.sock, c.proxy.clock.Real(r.attempt.pass.ReadTimeout))
		t.end()
		both.Wait()
	}
	if c.halted() {
		r.aborted(errHalted)
		return
	}
	r.release(event.Passed)
	c.answered(r.logged())
}

// end interrupts both directions.
func (t *upgraded) end() {
	t.over.Store(true)
	t.c.sock.poke()
	t.attempt.up.poke()
}

// pipe passes bytes on in one direction until it ends, or until nothing has passed
// in either for the limit, real time; 0 is none.
func (t *upgraded) pipe(to, from *sock, limit time.Duration) {
	b := lend(streamSize)
	defer giveBack(b)
	due := time.Now().Add(limit)
	for {
		if limit > 0 {
			_ = from.conn.SetReadDeadline(due)
		}
		// Who ends it moves the deadline after saying so.
		if t.over.Load() || t.c.halted() {
			return
		}
		n, err := from.conn.Read(b)
		if n > 0 {
			from.bytesIn.Add(int64(n))
			if _, werr := to.conn.Write(b[:n]); werr != nil {
				return
			}
			to.bytesOut.Add(int64(n))
			t.moved.Store(int64(time.Since(t.began)))
		}
		switch {
		case err == nil:
			due = time.Now().Add(limit)
		case !errors.Is(err, os.ErrDeadlineExceeded):
			return
		case limit > 0:
			// The other direction may have gone on meanwhile.
			due = t.began.Add(time.Duration(t.moved.Load())).Add(limit)
			if time.Since(due) >= 0 && !t.over.Load() {
				t.c.late(due)
				return
			}
		}
	}
}
