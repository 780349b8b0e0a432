package backends

import (
	"errors"
	"os"
	"time"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/clock"
)

// idle waits for a request and says whether it is to be served: the backend may
// give the connection up meanwhile, or at the first byte of a further request.
func (c *conn) idle() bool {
	due, how := never, fault.Close
	if c.keep != nil && c.keep.Idle > 0 {
		due, how = c.over+c.keep.Idle, c.keep.End
	}
	if at, ok := c.s.in.Load().doors.Ends(c.over); ok && at < due {
		due, how = at, fault.Close
	}
	c.wire.until = due
	_, err := c.in.Peek(1)
	c.wire.until = never
	if errors.Is(err, os.ErrDeadlineExceeded) {
		if at, ok := c.s.in.Load().thaw.Thaw(due); ok {
			due = at
		}
		if c.s.opts.Clock.SleepUntil(c.wire.ctx, due, clock.Wait) == nil { // notes how late it is
			c.end(how)
		}
		return false
	}
	if err != nil || !c.wire.waited() {
		return false
	}
	if c.exchange == 0 {
		return true
	}
	what := c.reuse(c.s.now())
	if what != 0 {
		c.end(what)
	}
	return what == 0
}

// reuse is what a further request meets at its first byte.
func (c *conn) reuse(at time.Duration) fault.Op {
	x, n := c.s.in.Load().set, c.exchange+1
	if len(x.rules) == 0 {
		return 0
	}
	f := x.rules.PickIn(fault.OnReuse, &fault.Exchange{
		At: at - x.since, Connection: max(c.number-x.connections, 0), Exchange: n,
		Draw: func(rule int) float64 {
			return fault.DrawReuse(c.s.opts.Seed, c.s.opts.Name, rule, c.number, n)
		},
	})
	if f == nil {
		return 0
	}
	c.tellCut(at, f.Name())
	c.s.opts.Log.Note(Entry{At: at, What: "reuse", Version: x.version, Rule: x.count(f), Fault: f.Name(), Connection: c.number, Exchange: n})
	return f.OnReuse
}
