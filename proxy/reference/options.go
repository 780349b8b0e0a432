package reference

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"

	"github.com/nolive/nolive/harness/clock"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/nginxconf"
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
}

// check says what is wrong with the options, all of it.
func (o *Options) check() error {
	if o.Config == nil {
		return errors.New("reference: no configuration")
	}
	if len(o.Config.Servers) == 0 {
		return errors.New("reference: the configuration has no server block")
	}
	var errs []error
	for _, n := range o.Config.NginxOnly {
		errs = append(errs, fmt.Errorf("%s: %s", n.Pos, n.Text))
	}
	return errors.Join(errs...)
}

// resolve returns the address of every backend.
func (o *Options) resolve() (map[string]netip.AddrPort, error) {
	out := make(map[string]netip.AddrPort, len(o.Config.Backends))
	for _, u := range o.Config.Upstreams {
		for _, s := range u.Servers {
			if _, ok := out[s.Name]; ok {
				continue
			}
			to, ok := o.Backends[s.Name]
			if !ok {
				return nil, fmt.Errorf("reference: backend %s: no address to dial", s.Name)
			}
			a, err := net.ResolveTCPAddr("tcp", to)
			if err != nil {
				return nil, fmt.Errorf("reference: backend %s: %w", s.Name, err)
			}
			ap := a.AddrPort()
			out[s.Name] = netip.AddrPortFrom(ap.Addr().Unmap(), ap.Port())
		}
	}
	return out, nil
}

// listenKey makes the spellings that nginx takes for one address the same:
// "80", "*:80" and "0.0.0.0:80"; a host without a port has port 80.
func listenKey(written string) string {
	if !strings.Contains(written, ":") || strings.HasSuffix(written, "]") {
		if digits(written) {
			return "*:" + written
		}
		written += ":80"
	}
	if rest, ok := strings.CutPrefix(written, "0.0.0.0:"); ok {
		return "*:" + rest
	}
	return written
}

func digits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
