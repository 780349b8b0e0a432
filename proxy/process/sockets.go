package process

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"os"
	"syscall"
	"time"

	"github.com/nolive/nolive/proxy/nginxconf"
	"github.com/nolive/nolive/proxy/reference"
)

// listening is one listening socket of the process. It outlives configurations.
type listening struct {
	net.Listener
	key  string // its address, in one spelling
	unix string // the path of a unix socket
}

// close closes the socket; a unix socket's path goes with it.
func (l *listening) close() {
	_ = l.Close()
	if l.unix != "" {
		_ = os.Remove(l.unix)
	}
}

// bound is a listen address of a configuration: to be opened, or reached through
// a socket that takes its clients in too.
type bound struct {
	written  string // as the configuration has it
	key      string
	text     string // as nginx logs it
	endpoint nginxconf.Endpoint
	ip       netip.Addr // invalid for a unix socket
	options  options
	stream   *nginxconf.StreamServer // whose it is, nil for one of http
	// wild is the wildcard through which it is reached, nil for one of its own.
	wild *bound
}

// tries and pause are how often, and how far apart, nginx tries to bind
// (ngx_open_listening_sockets).
const (
	tries = 5
	pause = 500 * time.Millisecond
)

// findListens finds the listen addresses of a configuration. A wildcard takes in the
// clients of all addresses with its port, unless a listen says "bind" or sets an
// option of its socket; which one it was, the client's connection tells
// (ngx_http_init_listening).
func (c *configuration) findListens() error {
	var out []*bound
	var wrong error
	seen := map[string]*bound{}
	add := func(stream *nginxconf.StreamServer, l nginxconf.Listen) {
		o := readOptions(l.Parameters)
		if b := seen[l.Key()]; b != nil && stream == nil {
			b.options.add(o)
			return
		}
		b := &bound{written: l.Address, key: l.Key(), endpoint: l.Endpoint(), options: o, stream: stream}
		if err := b.resolve(); err != nil && wrong == nil {
			wrong = refuse("%s in \"%s\" of the \"listen\" directive%s", err, l.Address, c.where(func(d *nginxconf.Directive) bool {
				return d.Name.Text == "listen" && d.Arg(0) == l.Address
			}))
		}
		if out = append(out, b); stream == nil {
			seen[l.Key()] = b
		}
	}
	c.eachListen(func(_ *nginxconf.Server, l nginxconf.Listen) { add(nil, l) })
	for _, s := range c.Streams {
		for _, l := range s.Listens {
			add(s, l)
		}
	}
	for _, b := range out {
		for _, w := range out {
			if w != b && w.ip.IsValid() && b.ip.IsValid() && w.ip.IsUnspecified() && w.endpoint.Port == b.endpoint.Port &&
				w.ip.Is4() == b.ip.Is4() && !b.options.bind && (w.stream == nil) == (b.stream == nil) {
				b.wild = w
			}
		}
	}
	c.listens = out
	return wrong
}

// resolve finds the address to bind to.
func (b *bound) resolve() error {
	e := b.endpoint
	switch {
	case e.Unix != "":
		b.text = "unix:" + e.Unix
		return nil
	case e.Host == "*":
		b.ip = netip.IPv4Unspecified()
	default:
		ips, err := addressesOf(e.Host)
		if err != nil {
			return err
		}
		b.ip = ips[0]
	}
	b.text = netip.AddrPortFrom(b.ip, uint16(e.Port)).String()
	return nil
}

// open returns the sockets for a configuration: those of before that are still
// wanted, and new ones. On an error the new ones are closed again. With test,
// an address that is in use is none.
func open(all []*bound, had []*listening, test bool, note func(nginxconf.Level, string)) ([]*listening, error) {
	if len(all) == 0 {
		return nil, refuse("there is no server block: nothing to serve")
	}
	var out, fresh []*listening
	for _, b := range all {
		if b.wild != nil {
			continue
		}
		l := find(had, b.key)
		if l == nil || find(out, b.key) != nil { // of http and of stream: the second one can't be
			var err error
			if l, err = b.open(test, note); err != nil {
				for _, l := range fresh {
					l.close()
				}
				return nil, err
			}
			if l == nil {
				continue
			}
			fresh = append(fresh, l)
		}
		out = append(out, l)
	}
	return out, nil
}

func find(all []*listening, key string) *listening {
	for _, l := range all {
		if l.key == key {
			return l
		}
	}
	return nil
}

// open binds and listens. While the address is in use it tries again.
func (b *bound) open(test bool, note func(nginxconf.Level, string)) (*listening, error) {
	for n := 1; ; n++ {
		l, err := b.listen()
		if err == nil {
			return l, nil
		}
		text := "bind() to " + b.text + " failed" + numbered(err)
		if !errors.Is(err, syscall.EADDRINUSE) {
			return nil, refuse("%s", text)
		}
		if test {
			return nil, nil // whoever is tested for may be running
		}
		note(nginxconf.Emerg, text)
		if n == tries {
			return nil, refuse("still could not bind()")
		}
		time.Sleep(pause)
	}
}

func (b *bound) listen() (*listening, error) {
	lc := net.ListenConfig{KeepAlive: -1, Control: b.options.control}
	lc.SetMultipathTCP(false)
	network, address := "tcp4", b.text
	switch {
	case b.endpoint.Unix != "":
		network, address = "unix", b.endpoint.Unix
	case b.ip.Is6() && b.options.dual:
		network = "tcp"
	case b.ip.Is6():
		network = "tcp6"
	}
	l, err := lc.Listen(context.Background(), network, address)
	if err != nil {
		return nil, err
	}
	if u, ok := l.(*net.UnixListener); ok {
		u.SetUnlinkOnClose(false)
		_ = os.Chmod(address, 0o666) // ngx_open_listening_sockets
	}
	if err := b.options.again(l); err != nil {
		_ = l.Close()
		return nil, err
	}
	return &listening{Listener: l, key: b.key, unix: b.endpoint.Unix}, nil
}

// served are the sockets with what is served on each.
func served(all []*bound, sockets []*listening) []reference.Socket {
	var out []reference.Socket
	for _, l := range sockets {
		s := reference.Socket{Listener: l.Listener}
		for _, b := range all {
			switch {
			case b.key == l.key:
				s.Text = b.text
				s.Serves = append(s.Serves, reference.Served{Listen: b.written, Stream: b.stream})
			case b.wild != nil && b.wild.key == l.key:
				s.Serves = append(s.Serves, reference.Served{Listen: b.written, At: netip.AddrPortFrom(b.ip, uint16(b.endpoint.Port)), Stream: b.stream})
			}
		}
		out = append(out, s)
	}
	return out
}
