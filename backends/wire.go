package backends

import (
	"context"
	"errors"
	"net"
	"os"
	"sync/atomic"
	"time"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/clock"
)

// never is later than any instant of a run.
const never time.Duration = 1<<63 - 1

// wire is a connection that stands still while the backend does: no byte is
// taken from the kernel or given to it while the door isn't open, so that the
// kernel's buffers, and what the other side can push into them, are those of a
// stopped process.
type wire struct {
	conn  socket
	ctx   context.Context // ends with the connection
	clock *clock.Clock
	in    *atomic.Pointer[regime] // the backend's
	// until is when a read gives up with os.ErrDeadlineExceeded, in scenario time,
	// or when the backend can act after that.
	until time.Duration
	// met is closed when a read gives up too, with the same error; nil for never.
	met <-chan struct{}
	// budget is how many bytes may still be read, 0 for any number.
	budget int
	// reading and writing say that the socket has a deadline.
	reading, writing bool
}

// errTooBig is the end of a budget.
var errTooBig = errors.New("request head too big")

// Read reads when the backend can, and not after until.
func (w *wire) Read(p []byte) (int, error) {
	for {
		r := w.in.Load()
		// One look at the clock for both: between two, the backend could stop and
		// the read not know it.
		now := w.clock.Now()
		if r.shuts {
			var err error
			if now, err = w.open(); err != nil {
				return 0, err
			}
		}
		select {
		case <-w.met:
			return 0, os.ErrDeadlineExceeded
		default:
		}
		if w.until != never && w.begun() && now >= w.until {
			return 0, os.ErrDeadlineExceeded
		}
		w.readDeadline(r, now)
		if w.in.Load() != r {
			continue // or the deadline could have undone a wake
		}
		n, err := w.conn.Read(p)
		if n == 0 && errors.Is(err, os.ErrDeadlineExceeded) {
			w.reading = true // also if it was wake that set it
			continue
		}
		if w.budget > 0 && n > 0 {
			if w.budget -= n; w.budget <= 0 {
				return n, errTooBig
			}
		}
		return n, err
	}
}

// Write writes all of p, stopping where the backend does.
func (w *wire) Write(p []byte) (int, error) {
	done := 0
	for done < len(p) {
		r := w.in.Load()
		stop, ok := time.Duration(0), false
		if r.shuts {
			now, err := w.open()
			if err != nil {
				return done, err
			}
			if w.begun() {
				stop, ok = r.doors.Stops(now)
			}
		}
		switch {
		case ok:
			w.conn.SetWriteDeadline(w.clock.Instant(stop))
			w.writing = true
		case w.writing:
			w.conn.SetWriteDeadline(time.Time{})
			w.writing = false
		}
		if w.in.Load() != r {
			continue
		}
		n, err := w.conn.Write(p[done:])
		done += n
		if errors.Is(err, os.ErrDeadlineExceeded) {
			w.writing = true // also if it was wake that set it
		} else if err != nil {
			return done, err
		}
	}
	return done, nil
}

// waited waits until the backend's door is open; false when the connection ended first.
func (w *wire) waited() bool {
	if !w.in.Load().shuts {
		return true
	}
	_, err := w.open()
	return err == nil
}

// open waits until the backend's door is open, and returns an instant at which
// it was. One that refuses is about to close this connection, which ends the wait.
func (w *wire) open() (time.Duration, error) {
	for {
		r := w.in.Load()
		now := w.clock.Now()
		door, next, ok := r.doors.At(max(now, 0))
		switch {
		case door == fault.Open || door == fault.Stopping:
			return now, nil
		case !ok:
			select {
			case <-r.over:
				continue
			case <-w.ctx.Done():
				return 0, net.ErrClosed
			}
		}
		if err := w.clock.SleepUnless(w.ctx, r.over, next, clock.Wait); err != nil && err != clock.ErrOver {
			return 0, net.ErrClosed
		}
	}
}

// readDeadline makes the next read return when it has to stop: at until, or
// when the backend next stands still. Before scenario time has begun neither
// has an instant yet; wake interrupts such a read.
func (w *wire) readDeadline(r *regime, now time.Duration) {
	stop := w.until
	if !w.begun() {
		stop = never
	} else if r.shuts {
		if t, ok := r.doors.Stops(now); ok {
			stop = min(stop, t)
		}
	}
	switch {
	case stop != never:
		w.conn.SetReadDeadline(w.clock.Instant(stop))
		w.reading = true
	case w.reading:
		w.conn.SetReadDeadline(time.Time{})
		w.reading = false
	}
}

// wake interrupts what the connection waits for, so that it looks at the time
// again. Another goroutine calls it, when scenario time begins and when the
// backend stops: the runtime's own timers may be milliseconds late.
func (w *wire) wake() {
	if w.in.Load().shuts {
		w.conn.SetDeadline(past)
		return
	}
	w.conn.SetReadDeadline(past)
}

// past is an instant that has passed, as a deadline that has.
var past = time.Unix(1, 0)

func (w *wire) begun() bool {
	select {
	case <-w.clock.Begun():
		return true
	default:
		return false
	}
}
