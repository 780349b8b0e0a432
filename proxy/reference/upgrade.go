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
	// over is true once one side has ended.
	over atomic.Bool
	// mu guards the timer of what is read from the backend: either direction sets it
	// anew (ngx_http_upstream_process_upgraded).
	mu sync.Mutex
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
	t := &upgraded{relay: r}
	t.touch()
	if r.write(c.rb.unread(), false) == nil {
		c.rb.r = c.rb.w
		_ = c.sock.conn.SetDeadline(time.Time{})
		_ = up.conn.SetDeadline(time.Time{})
		var both sync.WaitGroup
		both.Go(func() {
			defer t.end()
			if _, err := up.conn.Write(c.in.unread()); err == nil {
				t.pipe(&up.sock, &c.sock, false)
			}
		})
		t.pipe(&c.sock, &up.sock, true)
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

// touch sets the timer anew: something has passed.
func (t *upgraded) touch() {
	now := t.c.proxy.clock.At(time.Now())
	t.mu.Lock()
	defer t.mu.Unlock()
	t.read.Add(now, t.attempt.pass.ReadTimeout)
}

// goesOff is when the timer goes off as it is set.
func (t *upgraded) goesOff() time.Time {
	clock := t.c.proxy.clock
	now := time.Now()
	t.mu.Lock()
	defer t.mu.Unlock()
	return now.Add(clock.Real(t.read.At() - clock.At(now)))
}

// pipe passes bytes on in one direction until it ends or the timer goes off, if it is
// timed.
func (t *upgraded) pipe(to, from *sock, timed bool) {
	b := lend(streamSize)
	defer giveBack(b)
	for {
		due := time.Time{}
		if timed {
			due = t.goesOff()
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
			t.touch()
		}
		switch {
		case err == nil:
		case !errors.Is(err, os.ErrDeadlineExceeded):
			return
		case timed:
			// The other direction may have gone on meanwhile.
			if due := t.goesOff(); !time.Now().Before(due) && !t.over.Load() {
				t.c.late(due)
				return
			}
		}
	}
}
