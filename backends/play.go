package backends

import (
	"context"
	"errors"
	"math"
	"os"
	"strings"
	"time"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/clock"
)

// play does what fault.Script.Timeline evaluates, for a request whose head was
// read at at. Instants are counted from the one at which the request was
// complete, so that being late once doesn't add up. It says whether the
// connection can take another request.
func (c *conn) play(sc *fault.Script, at time.Duration) bool {
	now, off := at, int64(0)
	for i := range sc.Steps {
		st, ok := &sc.Steps[i], true
		switch st.Op {
		case fault.ReadAll:
			now, ok = c.read(now, math.MaxInt64)
		case fault.ReadBody:
			now, ok = c.read(now, st.Len)
		case fault.Wait:
			now, ok = c.sleep(now + st.For)
		case fault.Await:
			now, ok = c.await(st.Barrier)
		case fault.Write:
			now, ok = c.write(sc, st, &off, now)
		case fault.Echo:
			c.echo(sc)
			return false
		case fault.Stall, fault.Close, fault.Reset:
			c.end(st.Op)
			return false
		}
		if !ok {
			return false
		}
	}
	if sc.Response.End() < 0 {
		c.fin() // is what ends the body
		return false
	}
	return true
}

// read reads n bytes of the request's body, or what there is, and returns when
// they were there.
func (c *conn) read(now time.Duration, n int64) (time.Duration, bool) {
	if c.req.ContentLength == 0 {
		return now, true
	}
	if c.req.ProtoAtLeast(1, 1) && strings.EqualFold(c.req.Header.Get("Expect"), "100-continue") {
		if _, err := c.to.Write([]byte("HTTP/1.1 100 Continue\r\n\r\n")); err != nil {
			return 0, false
		}
	}
	if c.readBody(n) != nil {
		return 0, false
	}
	return c.s.now(), true
}

// write sends what one Write step sends, from off on.
func (c *conn) write(sc *fault.Script, st *fault.Step, off *int64, now time.Duration) (time.Duration, bool) {
	end := sc.Response.Size()
	if st.Len >= 0 {
		end = min(*off+st.Len, end)
	}
	for *off < end {
		n := end - *off
		if st.Chunk > 0 {
			n = min(n, st.Chunk)
		}
		for stop := *off + n; *off < stop; {
			c.out = sc.Response.Append(c.out[:0], *off, min(stop-*off, maxWrite))
			if _, err := c.to.Write(c.out); err != nil {
				return 0, false
			}
			*off += int64(len(c.out))
		}
		if *off < end && st.For > 0 {
			var ok bool
			if now, ok = c.sleep(now + st.For); !ok {
				return 0, false
			}
		}
	}
	return now, true
}

// sleep waits until due, or until the thaw if the backend stands still then,
// and returns that instant. It is false when the connection ended first; the
// other side's half-close counts as its end.
func (c *conn) sleep(due time.Duration) (time.Duration, bool) {
	if !c.watch(due) {
		return 0, false
	}
	at, ok := c.s.in.Load().thaw.Thaw(due)
	if !ok {
		at = due // the door is shut for good; what comes next will wait at it
	}
	return at, c.s.opts.Clock.SleepUntil(c.wire.ctx, at, clock.Wait) == nil
}

// await waits for a barrier, and for the thaw if the backend stands still when it
// is met. It is false when the connection ended first.
func (c *conn) await(b *fault.Barrier) (time.Duration, bool) {
	ctx, cancel := context.WithCancel(c.wire.ctx)
	defer cancel()
	met := make(chan struct{})
	go func() {
		if !c.s.opts.Board.wait(ctx, b.Backend, b.Requests) {
			return
		}
		close(met)
		// A look at the connection that begins just now doesn't notice being woken.
		for ctx.Err() == nil {
			c.wire.wake()
			select {
			case <-ctx.Done():
			case <-time.After(time.Millisecond):
			}
		}
	}()
	c.wire.met = met
	here := c.watch(never)
	c.wire.met = nil
	if !here {
		return 0, false
	}
	return c.sleep(c.s.now())
}

// watch waits until scenario time at, and until the backend can act then, while
// looking for the connection's end, and says whether it is still there. What the
// other side sends meanwhile is kept for the next request.
func (c *conn) watch(at time.Duration) bool {
	c.wire.until = at
	defer func() { c.wire.until = never }()
	for c.in.Buffered() < c.in.Size() {
		if _, err := c.in.Peek(c.in.Buffered() + 1); err != nil {
			return errors.Is(err, os.ErrDeadlineExceeded)
		}
		if c.left != 0 {
			c.unread.Store(true)
		}
	}
	// So much was sent ahead that the end behind it can't be seen.
	if at == never {
		select {
		case <-c.wire.ctx.Done():
			return false
		case <-c.wire.met:
		}
	}
	return true
}
