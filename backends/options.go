package backends

import (
	"fmt"
	"strings"
	"time"

	"github.com/nolive/nolive/backends/certs"
	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/clock"
	"github.com/nolive/nolive/harness/event"
)

// Options describe one backend. The zero value is a healthy one on a free port
// of 127.0.0.1, in real time.
type Options struct {
	// Name is the backend's name in events and draws; usually the address as
	// the configuration writes it.
	Name string
	// Rules say what it does; without any it answers 200 at once.
	Rules fault.Rules
	// Text is how the rules were written, for Set.Text; "" if nobody asks.
	Text string
	// Clock is the run's scenario time. Before it has begun the door's state at
	// 0 is already in force. nil is real time from now on.
	Clock *clock.Clock
	// Sink gets BackendGot, FaultOn and FaultOff, from several goroutines; nil
	// drops them.
	Sink event.Sink
	// Log gets the backend's own log; nil drops it.
	Log Log
	// Board is what the backends of a run share for barriers; nil is one of its own.
	Board *Board
	// Seed keys the draws of rules with a share.
	Seed uint64
	// Listen is the IP address and port to listen on; "" is 127.0.0.1:0, and port 0
	// is a free one. Or it is a unix socket, unix:/path: its file is made, and removed
	// in the end, also when this process is killed. A file that nobody listens on is
	// taken over. unix: alone is a free name in a new folder among the temporary
	// files, and unix:/folder/ one in that folder.
	Listen string
	// Certificates let the backend speak TLS to who begins with it; nil is plain
	// HTTP to everybody. Scenarios make them for those that are reached by https.
	Certificates *certs.Set
	// Backlog is how many connections the kernel completes before the backend
	// accepts them, and one more (listen(2)); 0 is what the system allows.
	Backlog int

	// lent is true in a process of its own: who started it removes a unix socket's file.
	lent bool
}

// check fills in the defaults and says what is wrong with the rest.
func (o *Options) check() (place, error) {
	if o.Clock == nil {
		o.Clock = clock.New(1)
		o.Clock.Begin(time.Now())
	}
	if o.Sink == nil {
		o.Sink = event.Discard
	}
	if o.Log == nil {
		o.Log = noLog{}
	}
	if o.Board == nil {
		o.Board = new(Board)
	}
	if o.Listen == "" {
		o.Listen = "127.0.0.1:0"
	}
	at, err := parsePlace(o.Listen)
	if err != nil {
		return at, err
	}
	at.lent = o.lent
	if o.Backlog < 0 {
		return at, fmt.Errorf("backlog: %d is less than 0", o.Backlog)
	}
	return at, o.validate(o.Rules)
}

// validate says which rule can't be meant, or can't be played where the backend listens.
func (o *Options) validate(rules fault.Rules) error {
	for i := range rules {
		err := rules[i].Validate()
		if err == nil && strings.HasPrefix(o.Listen, unixPrefix) {
			err = rules[i].Do.OnUnixSocket()
		}
		if err != nil {
			return fmt.Errorf("rule %d: %w", i+1, err)
		}
	}
	return nil
}
