package backends

import (
	"errors"
	"os"
	"time"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/clock"
)

// idle waits for a further request and says whether it is to be served: the
// backend may give the connection up meanwhile, or at the request's first byte.
func (c *conn) idle() bool {
	due := never
	if c.keep != nil && c.keep.Idle > 0 {
		if at, ok := c.s.doors.Thaw(c.over + c.keep.Idle); ok {
			due = at
		}
	}
	c.wire.until = due
	_, err := c.in.Peek(1)
	c.wire.until = never
	if errors.Is(err, os.ErrDeadlineExceeded) {
		if c.s.opts.Clock.SleepUntil(c.wire.ctx, due, clock.Wait) == nil { // notes how late it is
			c.end(c.keep.End)
		}
		return false
	}
	if err != nil || !c.wire.waited() {
		return false
	}
	what := c.reuse(c.now())
	if what != 0 {
		c.end(what)
	}
	return what == 0
}

// reuse is what a further request meets at its first byte.
func (c *conn) reuse(at time.Duration) fault.Op {
	n := c.exchange + 1
	return c.s.opts.Rules.PickReuse(&fault.Exchange{
		At: at, Connection: c.number, Exchange: n,
		Draw: func(rule int) float64 {
			return fault.DrawReuse(c.s.opts.Seed, c.s.opts.Name, rule, c.number, n)
		},
	})
}
