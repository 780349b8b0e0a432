package nginx

import (
	"context"
	"sync"

	"github.com/nolive/nolive/proxy/nginxconf"
)

// Process is one running nginx. Its methods are safe for concurrent use.
type Process struct {
	opts   Options
	host   Host
	found  Found
	bin    binary
	prefix prefix
	seat   Seat
	child  Child
	// listens maps every listen address to the real one, there to the one that nginx
	// itself listens at; first is the first's real one.
	listens, there map[string]string
	first          string

	mu     sync.Mutex // guards the pinger and what it measured
	pinger pinger
	origin origin
	off    fit // the latest calibration

	closing sync.Once
	closed  error
	end     stopped
	alerts  []string
}

// Start starts nginx and returns when it answers. ctx bounds the start only;
// end what it started with Close. Errors: *BinaryError, *FaketimeError,
// *PrefixError, *PortError, *ConfigError, *ExitError, or ctx's.
func Start(ctx context.Context, o Options) (*Process, error) {
	return start(ctx, o, nginxconf.Render)
}

// Address is the real address, host:port, of a listen directive as the
// configuration writes it; "" is the first one's. It is "" when there is none.
func (p *Process) Address(listen string) string {
	if listen == "" {
		return p.first
	}
	if a, ok := p.listens[listen]; ok {
		return a
	}
	for l, a := range p.listens {
		if sameListen(l, listen) {
			return a
		}
	}
	return ""
}

// sameListen says whether nginx takes two listen addresses for the same.
func sameListen(a, b string) bool {
	return nginxconf.Listen{Address: a}.Key() == nginxconf.Listen{Address: b}.Key()
}

// TLS is true: nginx speaks it where its configuration says so.
func (p *Process) TLS() bool { return true }

// Addresses are those that nginx had for the backends, by name.
func (p *Process) Addresses() map[string]string { return p.opts.Backends }

// Version is what nginx -v says: "1.22.1"; a fork's has its name in front.
func (p *Process) Version() string { return p.bin.version }

// Alerts are nginx's own lines of level alert and emerg, and those that it is out of
// worker_connections, whole, known after Close.
func (p *Process) Alerts() []string { return p.alerts }
