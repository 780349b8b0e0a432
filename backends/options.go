package backends

import (
	"fmt"
	"net/netip"
	"time"

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
	// Clock is the run's scenario time. Before it has begun the door's state at
	// 0 is already in force. nil is real time from now on.
	Clock *clock.Clock
	// Sink gets BackendGot, FaultOn and FaultOff, from several goroutines; nil
	// drops them.
	Sink event.Sink
	// Seed keys the draws of rules with a share.
	Seed uint64
	// Listen is the IP address and port to listen on; "" is 127.0.0.1:0, and
	// port 0 is a free one.
	Listen string
}

// check fills in the defaults and says what is wrong with the rest.
func (o *Options) check() (netip.AddrPort, error) {
	if o.Clock == nil {
		o.Clock = clock.New(1)
		o.Clock.Begin(time.Now())
	}
	if o.Sink == nil {
		o.Sink = event.Discard
	}
	if o.Listen == "" {
		o.Listen = "127.0.0.1:0"
	}
	addr, err := netip.ParseAddrPort(o.Listen)
	if err != nil {
		return addr, fmt.Errorf("listen: %q is no IP address with a port", o.Listen)
	}
	for i := range o.Rules {
		if err := o.Rules[i].Validate(); err != nil {
			return addr, fmt.Errorf("rule %d: %w", i+1, err)
		}
	}
	return addr, nil
}
