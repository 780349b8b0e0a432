// Package event is the one alphabet in which every engine tells what happened:
// only facts that the simulator, the reference proxy and real nginx can all
// observe. It never judges and never touches a clock or a socket.
package event

import "time"

// Event is one fact of a run. Which fields are set depends on Kind; the zero
// value of a field means "does not apply".
type Event struct {
	// At is scenario time since the run's origin, which lies on a whole second
	// of the proxy's clock. Engines stamp with at least millisecond precision.
	At time.Duration
	// Kind says what happened and which other fields apply.
	Kind Kind
	// Request is the client request this belongs to.
	Request Request
	// Try counts the attempts of one request from 1.
	Try int
	// Peer is the backend's name exactly as the configuration writes it.
	Peer string
	// Upstream is the name of the upstream block, or of the implicit one that a
	// literal proxy_pass makes.
	Upstream string
	// Outcome of an attempt (AttemptEnded) or of a response (ResponseEnded).
	Outcome Outcome
	// Status is an HTTP status: of the attempt, of the proxy's answer, or of
	// what the client saw. 0 when there was none.
	Status int
	// Cached is true for an attempt on a kept-alive upstream connection, for a
	// request that a backend read as a further one of its connection, and for a
	// connection that a backend cut at one.
	Cached bool
	// Worker is the proxy worker that acted, from 0 in order of first use.
	Worker int
	// Order is the place that its worker's error log gives the event, from 1 and
	// rising, and with it what the proxy decided there and then: two stamps may be
	// the same millisecond, two lines are one after the other. 0 without a line.
	Order int
	// Detail is the fault's name (FaultOn, FaultOff, BackendCut, and BackendGot for a
	// request that a rule decides about), the log line (Logged), or how
	// a truncated body broke off (AttemptEnded): closed, reset or read_timeout. Of an
	// invalid header, and of a TLS handshake that failed, it is what the error log says of it.
	Detail string
}

// Request names one client request: the N-th, from 1, of a traffic.
//
// A proxy that sees no more than a connection (stream) names a session instead:
// Traffic is then SessionOf both ends, and N is negative and different for each of
// its sessions. Whoever knows the clients' connections puts the request in its place.
type Request struct {
	Traffic string
	N       int
}

// SessionOf is how a session's Request.Traffic names its two ends, host:port each.
func SessionOf(client, proxy string) string { return client + " > " + proxy }

// Sink receives events in the order in which they happened. Implementations
// that serve sockets must be safe for concurrent use; the simulator calls from
// one goroutine.
type Sink interface{ Emit(Event) }

// SinkFunc adapts a function to Sink.
type SinkFunc func(Event)

// Emit calls f.
func (f SinkFunc) Emit(e Event) { f(e) }

// Discard drops every event.
var Discard Sink = SinkFunc(func(Event) {})
