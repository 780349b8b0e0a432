package backends

import (
	"bufio"
	"encoding/gob"
	"errors"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/nolive/nolive/backends/certs"
	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/clock"
	"github.com/nolive/nolive/harness/event"
)

// A backend as a process of its own is the program itself, started again with
// this as its only argument: a program that knows nothing of it refuses the flag
// instead of doing its work a second time. It takes orders on its standard input
// and reports on descriptor 3.
const childFlag = "-nolive-backend-process"

// Child makes the program able to run backends as processes of their own
// (StartProcess). Call it first in main, or in TestMain: in such a process it
// serves and never returns, in every other one it returns at once.
func Child() {
	if len(os.Args) != 2 || os.Args[1] != childFlag {
		return
	}
	reports := os.NewFile(3, "reports")
	unix.CloseOnExec(3)
	if err := serveChild(os.Stdin, reports); err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
	os.Exit(0)
}

// order is what a child is told. The first one has Setup, the second one, with
// Listen, lets it serve; Begin follows when scenario time does.
type order struct {
	Setup *setup
	// Listen lets the child open its port, with the numbers that it goes on from.
	Listen *numbers
	Begin  *begin
}

// setup is what a child needs to know before.
type setup struct {
	Name, Address string
	Backlog       int
	Seed          uint64
	Speed         float64
	Rules         fault.Rules
	Certificates  *certs.Set
	// Doors are what the child does itself: it is stopped and killed from outside,
	// so those are open in it. Thaw is the whole truth.
	Doors, Thaw fault.Doors
}

type numbers struct{ Connections, Requests int }

// begin is when scenario time began, on the machine's monotonic clock.
type begin struct{ Origin int64 }

// report is what a child says. Exactly one field is set.
type report struct {
	// Ready: the orders were read, or the port is open.
	Ready bool
	Event *event.Event
	Late  *late
	Note  *Entry
	// Error is what the door had trouble with.
	Error string
}

type late struct {
	Kind clock.Kind
	By   time.Duration
}

// reporter sends reports, each whole: what was said before a kill is heard.
type reporter struct {
	mu  sync.Mutex
	buf *bufio.Writer
	enc *gob.Encoder
}

func newReporter(w io.Writer) *reporter {
	r := &reporter{buf: bufio.NewWriter(w)}
	r.enc = gob.NewEncoder(r.buf)
	return r
}

func (r *reporter) send(what report) {
	r.mu.Lock()
	defer r.mu.Unlock()
	// Nobody listens any more when this fails, and standard input ends too.
	_ = r.enc.Encode(what)
	_ = r.buf.Flush()
}

// Emit reports an event.
func (r *reporter) Emit(e event.Event) { r.send(report{Event: &e}) }

// Note reports an entry of the backend's log.
func (r *reporter) Note(e Entry) { r.send(report{Note: &e}) }

// serveChild does what it is ordered until the orders end.
func serveChild(orders io.Reader, reports io.Writer) error {
	in, out := gob.NewDecoder(orders), newReporter(reports)
	var first order
	if err := in.Decode(&first); err != nil {
		return err
	}
	if first.Setup == nil {
		return errors.New("backend process: no setup")
	}
	clk := clock.New(first.Setup.Speed)
	clk.Lateness().Also(func(k clock.Kind, d time.Duration) { out.send(report{Late: &late{k, d}}) })
	out.send(report{Ready: true})
	var s *Server
	for {
		var o order
		if err := in.Decode(&o); err != nil {
			if s == nil {
				return nil
			}
			return s.Close()
		}
		if o.Begin != nil {
			clk.Begin(time.Now().Add(time.Duration(o.Begin.Origin - monotonic())))
		}
		if o.Listen == nil || s != nil {
			continue
		}
		var err error
		if s, err = startChild(first.Setup, *o.Listen, clk, out); err != nil {
			out.send(report{Error: err.Error()})
			return err
		}
		out.send(report{Ready: true})
	}
}

// startChild opens the child's port.
func startChild(x *setup, n numbers, clk *clock.Clock, out *reporter) (*Server, error) {
	return start(Options{
		lent: true, Name: x.Name, Listen: x.Address, Backlog: x.Backlog, Certificates: x.Certificates, Seed: x.Seed, Rules: x.Rules, Clock: clk, Sink: out, Log: out,
	}, func(s *Server) {
		s.connections, s.requests = n.Connections, n.Requests
		s.alarm = func(err error) { out.send(report{Error: err.Error()}) }
		first := newRegime(s.newSet(x.Rules, "", 0), x.Doors)
		first.requests, first.connections = 0, 0
		first.thaw = x.Thaw
		s.in.Store(first)
	})
}

// monotonic is the machine's monotonic clock in nanoseconds, the same in every
// process.
func monotonic() int64 {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &t)
	return t.Nano()
}
