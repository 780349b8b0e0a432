package nginx

import (
	"github.com/nolive/nolive/harness/clock"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/nginxconf"
)

// Options is what one nginx is started with.
type Options struct {
	// Config is the configuration under test.
	Config *nginxconf.Config
	// Backends gives the real address, 127.0.0.1:port, of every backend of
	// Config.Backends.
	Backends map[string]string
	// Unannounced are, by the name of the backend, the sizes in bytes that those of its
	// responses' bodies have on the wire whose heads don't say it: of such a response whose
	// client left, nginx's log says how much came, not whether that was all. nil is for
	// not known.
	Unannounced map[string][]int64
	// Clock gives the speed, and once begun the scenario time; nil is speed 1.
	Clock *clock.Clock
	// Sink gets all events, in order, during Close; nil discards them.
	Sink event.Sink
	// Host is where nginx runs; nil is this machine.
	Host Host
	// Binary is the nginx to run on this machine; "" is the one on PATH.
	Binary string
	// Dir is nginx's prefix: configuration, logs, temporary files. It is made if
	// need be and kept. "" is a temporary folder that Close removes.
	Dir string
	// Files are those that the configuration reads (nginxconf.Tree.FilesRead), by
	// path as written. Certificates that aren't there are made up.
	Files map[string][]byte
	// CA is the certificate, in PEM, of the authority of the backends that speak
	// TLS. nginx finds it in its prefix as nolive-ca.pem; nil is none.
	CA []byte
}

func (o Options) withDefaults() Options {
	if o.Clock == nil {
		o.Clock = clock.New(1)
	}
	if o.Sink == nil {
		o.Sink = event.Discard
	}
	return o
}

func (o Options) host() Host {
	if o.Host == nil {
		return machine{o.Binary}
	}
	return o.Host
}
