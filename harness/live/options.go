package live

import (
	"context"
	"time"

	"github.com/nolive/nolive/harness/clock"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/plan"
	"github.com/nolive/nolive/proxy/nginxconf"
)

// Options says what to run and who listens.
type Options struct {
	// Plan is what to do.
	Plan *plan.Plan
	// Start starts the proxy under test. Its context bounds the start alone;
	// a proxy runs until Close.
	Start func(context.Context, Setup) (Proxy, error)
	// Backends is the IP address on which backends listen; "" is 127.0.0.1.
	Backends string
	// Sockets is the folder in which those have their files that are reached over unix
	// sockets; "" is that of temporary files.
	Sockets string
	// Speed is scenario seconds per real second, at least 1; 0 is 1 for Run
	// and "as fast as it bears" for RunAuto.
	Speed float64
	// Sink gets the events of the run, from one goroutine, in order of time,
	// once the run is over: real nginx tells what it did only when it is closed.
	Sink event.Sink
	// Prove says why a run whose timing was good enough proves nothing all the
	// same, "" when it does prove something. It gets the events in order of time.
	// A run that it refuses is invalid, and RunAuto repeats it slower. May be nil.
	Prove func([]event.Event, *Outcome) string
	// Progress is called a few times a second while the load runs, from one
	// goroutine: the scenario time, and the latest instant at which a request
	// may still be sent, 0 when only a count bounds the load. May be nil.
	Progress func(now, end time.Duration)
}

// Setup is what a proxy is started with.
type Setup struct {
	// Config is the configuration under test.
	Config *nginxconf.Config
	// Backends maps each backend's name to the address where it listens.
	Backends map[string]string
	// Unannounced are the sizes on the wire of those bodies whose heads don't say how long
	// they are, by the backend's name.
	Unannounced map[string][]int64
	// Clock begins when everything is ready.
	Clock *clock.Clock
	// Sink takes the proxy's events, until Close has returned. Their order
	// counts among events of the same instant only. Safe for concurrent use.
	Sink event.Sink
	Seed uint64
	// Files are those that the configuration reads and that are here.
	Files map[string][]byte
	// CA is the certificate, in PEM, of the authority that backends reached by
	// https have theirs from; nil when there is none.
	CA []byte
}

// Proxy is a proxy under test that accepts connections.
type Proxy interface {
	// Address is the host:port where a listen address of the configuration is
	// served, in any form that nginx takes for the same ("80", "*:80"); "" for
	// anything else.
	Address(listen string) string
	// TLS says whether it speaks TLS where the configuration says so; otherwise those
	// listens are served in plain, which changes nothing of what comes after.
	TLS() bool
	// Align waits until the load may begin and returns the real instant at
	// which scenario time is 0, on a whole second of the proxy's own clock.
	Align(context.Context) (time.Time, error)
	// Close stops the proxy, waits for it, and has emitted its last event when
	// it returns. It is called once. An error makes the run invalid.
	Close() error
}

// Outcome is what a run was like as a whole.
type Outcome struct {
	// End is the scenario time at which the last answer was in and the proxy was done
	// with the clients that had left, or at which the run was given up.
	End time.Duration
	// Send and Wait are how late sends and waits were, in scenario time; Stall is how
	// late beats were that the run makes for nothing else.
	Send, Wait, Stall clock.Jitter
	// Speed is scenario seconds per real second.
	Speed float64
	// Wall is how long the load really took.
	Wall time.Duration
	// Invalid says why the run proves nothing; "" is a valid run.
	Invalid string
}

// Interrupted is the Outcome.Invalid of a run whose context ended.
const Interrupted = "interrupted"
