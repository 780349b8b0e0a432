package reference

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"sync/atomic"

	"github.com/nolive/nolive/harness/clock"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/nginxconf"
	"github.com/nolive/nolive/proxy/variable"
)

// Options says what to serve.
type Options struct {
	// Config is the configuration; one with NginxOnly entries is refused.
	Config *nginxconf.Config
	// Backends maps each of Config.Backends to the host:port to dial.
	Backends map[string]string
	// Clock is the run's scenario time; nil is real time from Start on. Every
	// time-out of the configuration passes at its speed.
	Clock *clock.Clock
	// Sink gets the events, from many goroutines; nil drops them.
	Sink event.Sink
	// Seed is the key of the draw that gives a client connection its worker.
	Seed uint64
	// Listen maps listen addresses as written to real ones, host:port. One that
	// isn't there gets a free port of 127.0.0.1.
	Listen map[string]string
	// Sockets are the listening sockets, opened already. With any, nothing else is
	// listened on and Listen isn't looked at.
	Sockets []Socket
	// Journal writes the logs of a server; nil writes none, and costs nothing.
	Journal Journal
	// Connections numbers the clients' connections; nil is a count of its own.
	Connections *atomic.Uint64
	// Process is whose requests they are, for variables.
	Process *variable.Process
}

// Socket is a listening socket, which the proxy closes in the end.
type Socket struct {
	Listener net.Listener
	// Text is the address as lines of the error log have it.
	Text string
	// Serves are the listen addresses, as the configuration writes them, whose
	// clients arrive here. Where there are several, At tells which: the address
	// that a client connected to, and the one without At takes the rest.
	Serves []Served
}

// Served is one listen address on a socket.
type Served struct {
	Listen string
	At     netip.AddrPort
	// Stream is the server of stream that it belongs to, nil for one of http.
	Stream *nginxconf.StreamServer
}

// check says what is wrong with the options, all of it.
func (o *Options) check() error {
	if o.Config == nil {
		return errors.New("reference: no configuration")
	}
	if len(o.Config.Servers)+len(o.Config.Streams) == 0 {
		return errors.New("reference: the configuration has no server block")
	}
	var errs []error
	for _, n := range o.Config.NginxOnly {
		if n.Served && o.Sockets != nil {
			continue
		}
		errs = append(errs, fmt.Errorf("%s: %s", n.Pos, n.Text))
	}
	return errors.Join(errs...)
}

// resolve returns the address to dial for every backend: host:port, or
// unix:/path.
func (o *Options) resolve() (map[string]string, error) {
	out := make(map[string]string, len(o.Config.Backends))
	for _, u := range o.Config.Upstreams {
		for _, s := range u.Servers {
			if _, ok := out[s.Name]; ok {
				continue
			}
			to, ok := o.Backends[s.Name]
			if !ok {
				return nil, fmt.Errorf("reference: backend %s: no address to dial", s.Name)
			}
			if strings.HasPrefix(to, "unix:") {
				out[s.Name] = to
				continue
			}
			a, err := net.ResolveTCPAddr("tcp", to)
			if err != nil {
				return nil, fmt.Errorf("reference: backend %s: %w", s.Name, err)
			}
			ap := a.AddrPort()
			out[s.Name] = netip.AddrPortFrom(ap.Addr().Unmap(), ap.Port()).String()
		}
	}
	return out, nil
}
