package backends

import (
	"context"
	"errors"
	"net"
	"os"
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
	conn  *net.TCPConn
	ctx   context.Context // ends with the connection
	clock *clock.Clock
	doors fault.Doors
	shuts bool // some door isn't open at some time
	// until is when a read gives up with os.ErrDeadlineExceeded, in scenario time.
	until time.Duration
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
		if w.shuts {
			if err := w.open(); err != nil {
				return 0, err
			}
		}
		if w.until != never && w.begun() && w.clock.Now() >= w.until {
			return 0, os.ErrDeadlineExceeded
		}
		w.readDeadline()
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
	if !w.shuts {
		return w.conn.Write(p)
	}
	done := 0
	for done < len(p) {
		if err := w.open(); err != nil {
			return done, err
		}
		stop, ok := time.Duration(0), false
		if w.begun() {
			stop, ok = w.doors.Stops(w.clock.Now())
		}
		switch {
		case ok:
			w.conn.SetWriteDeadline(w.clock.Instant(stop))
			w.writing = true
		case w.writing:
			w.conn.SetWriteDeadline(time.Time{})
			w.writing = false
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

// open waits until the backend's door is open. One that refuses is about to
// close this connection, which ends the wait.
func (w *wire) open() error {
	for {
		door, next, ok := w.doors.At(max(w.clock.Now(), 0))
		switch {
		case door == fault.Open:
			return nil
		case !ok:
			<-w.ctx.Done()
			return net.ErrClosed
		}
		if w.clock.SleepUntil(w.ctx, next, clock.Wait) != nil {
			return net.ErrClosed
		}
	}
}

// readDeadline makes the next read return when it has to stop: at until, or
// when the backend next stands still. Before scenario time has begun neither
// has an instant yet; wake interrupts such a read.
func (w *wire) readDeadline() {
	stop := w.until
	if !w.begun() {
		stop = never
	} else if w.shuts {
		if t, ok := w.doors.Stops(w.clock.Now()); ok {
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
// again. Another goroutine calls it, once, when scenario time begins.
func (w *wire) wake() {
	if w.shuts {
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
