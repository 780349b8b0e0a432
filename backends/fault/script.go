package fault

import (
	"math"
	"slices"
	"time"
)

// Script is what a backend does in one exchange: the response it has in mind,
// and the steps by which it gives it, or fails to.
type Script struct {
	// Name is the fault's kind as the scenario writes it, for logs.
	Name string
	// Response is what Write steps take their bytes from.
	Response Response
	// Steps are done in order. After the last one the exchange is over and the
	// connection is kept or closed as HTTP says.
	Steps []Step
	// Endless is the time between two pieces of a body that never ends, 0 for all others.
	Endless time.Duration
	// WebSocket is true when the connection becomes one: its response answers the
	// key of who asked, and Echo knows frames.
	WebSocket bool
}

// For returns the script as it is played for an exchange: to a HEAD the response
// ends with its head, whatever length that gives, a Delay has its length, and Drop
// is what it comes to.
func (s *Script) For(x *Exchange) *Script {
	head := x.Method == "HEAD" && s.Response.Body.Size > 0
	key := ""
	if s.WebSocket && x.Header != nil {
		key = x.Header("Sec-WebSocket-Key")
	}
	if !head && key == "" && !slices.ContainsFunc(s.Steps, Step.open) {
		return s
	}
	out := *s
	if key != "" {
		out.Response.Head = accepting(s.Response.Head, key)
	}
	if head {
		out.Response.Body = Body{}
		out.Response.Announced = max(out.Response.Announced, 0)
	}
	out.Steps = slices.Clone(s.Steps)
	for i := range out.Steps {
		switch st := &out.Steps[i]; {
		case st.Delay != nil:
			draw := 0.5
			if x.Length != nil {
				draw = x.Length(i)
			}
			*st = Step{Op: Wait, For: st.Delay.At(draw, x.Since)}
		case st.Op == Drop && s.unread(x.Body):
			st.Op = Reset
		case st.Op == Drop:
			st.Op = Close
		}
	}
	return &out
}

// open says whether the step depends on the exchange.
func (st Step) open() bool { return st.Delay != nil || st.Op == Drop }

// unread says whether the script leaves a part of a request's body unread.
func (s *Script) unread(body int64) bool {
	read := s.Reads()
	return body < 0 && read < math.MaxInt64 || read < body
}

// Resets says whether the script ends with a reset.
func (s *Script) Resets() bool {
	n := len(s.Steps)
	return n > 0 && s.Steps[n-1].Op == Reset
}

// Op is one thing a backend can do on a connection.
type Op uint8

// The operations.
const (
	// ReadHead reads until the request's head is complete.
	ReadHead Op = iota + 1
	// ReadBody reads Len bytes of the request's body behind its head.
	ReadBody
	// ReadAll reads the whole request, head and body.
	ReadAll
	// Wait lets For pass.
	Wait
	// Await waits for Barrier.
	Await
	// Write sends Len bytes of the response from where the last Write stopped;
	// Len < 0 is the rest. With Chunk > 0 it sends Chunk bytes at a time, For
	// apart, the first ones at once.
	Write
	// Stall keeps the connection open and does nothing until the other side
	// closes or the run ends.
	Stall
	// Echo sends back whatever comes until the other side closes.
	Echo
	// Close closes the connection in the orderly way (FIN).
	Close
	// Reset cuts the connection (RST).
	Reset
	// Drop closes the connection as the system call does: Reset when part of the
	// request wasn't read, otherwise Close. For resolves it.
	Drop
)

// Step is one step of a script.
type Step struct {
	Op    Op
	For   time.Duration
	Len   int64
	Chunk int64
	// Delay is the length of a Wait that isn't the same for all; For resolves it.
	Delay *Delay
	// Barrier is what an Await waits for.
	Barrier *Barrier
}

// Door says how a backend's listener behaves, whatever the request.
type Door uint8

// The doors. Every one but Open acts on open connections too.
const (
	// Open accepts.
	Open Door = iota
	// Frozen is a stopped process (SIGSTOP): the kernel completes connects,
	// nothing is read or answered; open connections stand still. What was due
	// meanwhile happens at the thaw.
	Frozen
	// Refusing is a port that nobody listens on: connects get RST, open
	// connections are closed.
	Refusing
	// Blackholed is a host that is gone: SYNs are not answered, open
	// connections stand still.
	Blackholed
	// Stopping is a graceful end: the listener is closed, its accept queue is
	// reset, idle connections are closed and the others after their answer.
	Stopping
)

// String is the door's name as a scenario writes the fault.
func (d Door) String() string {
	return [...]string{"open", "freeze", "refuse", "blackhole", "shutdown"}[d]
}

// Fault is what one `do:` of a scenario means. It acts in one layer: as a door,
// which holds for the whole backend while its rule's window is open, at accept,
// between two requests, or as a script for one exchange.
type Fault struct {
	// Door is not Open for freeze, refuse, blackhole and shutdown; then the rest is empty.
	Door Door
	// AtAccept is Close or Reset for a connection that ends as soon as it was
	// accepted, before anything is read; 0 otherwise.
	AtAccept Op
	// AcceptRead is how many bytes are read first.
	AcceptRead int
	// AcceptAfter is how long after the accept, or after these bytes, that is.
	AcceptAfter time.Duration
	// AcceptEvery is how long it takes to accept a connection, one after the other;
	// 0 for faults of other layers.
	AcceptEvery time.Duration
	// Keep limits how long the connection is kept; nil for faults of other layers.
	Keep *Keep
	// OnReuse is Close, Reset or Stall for a connection that ends, or goes dead, at
	// the first byte of a further request; 0 otherwise.
	OnReuse Op
	// Workers limits how many requests are worked on; nil for faults of other layers.
	Workers *Workers
	// Limit is how many connections there are; nil for faults of other layers.
	Limit *Limit
	// TLS is how a TLS connection is taken up; nil for faults of other layers.
	TLS *TLS
	// Script is played for a request.
	Script Script
}
