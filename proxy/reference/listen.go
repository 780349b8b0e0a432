package reference

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"time"

	"github.com/nolive/nolive/harness/freeport"
	"github.com/nolive/nolive/proxy/nginxconf"
)

// listener is one listening socket.
type listener struct {
	net.Listener
	key    string
	text   string  // for lines of the error log
	router *router // for a client to whose address no other belongs
	others map[netip.AddrPort]*router
	// stream is whose connections arrive here instead of requests, streams by the
	// address that a client connected to.
	stream  *nginxconf.StreamServer
	streams map[netip.AddrPort]*nginxconf.StreamServer
}

// serveOn takes over the sockets that are open already.
func (p *Proxy) serveOn(o *Options) {
	for _, s := range o.Sockets {
		l := &listener{Listener: s.Listener, text: s.Text}
		for _, served := range s.Serves {
			if served.Stream != nil {
				l.serveStream(served)
				continue
			}
			r := newRouter(o.Config, served.Listen)
			switch {
			case !served.At.IsValid():
				l.router, l.key = r, nginxconf.Listen{Address: served.Listen}.Key()
			case l.others == nil:
				l.others = map[netip.AddrPort]*router{}
				fallthrough
			default:
				l.others[served.At] = r
			}
		}
		p.listeners = append(p.listeners, l)
	}
}

// serveStream takes in one listen address of stream.
func (l *listener) serveStream(s Served) {
	if !s.At.IsValid() {
		l.stream, l.key = s.Stream, nginxconf.Listen{Address: s.Listen}.Key()
		return
	}
	if l.streams == nil {
		l.streams = map[netip.AddrPort]*nginxconf.StreamServer{}
	}
	l.streams[s.At] = s.Stream
}

// streamFor is the stream server for a client by the address that it connected to.
func (l *listener) streamFor(conn net.Conn) *nginxconf.StreamServer {
	if at := l.streams[reached(conn)]; at != nil {
		return at
	}
	return l.stream
}

// reached is the address that a client connected to; not valid for a unix socket.
func reached(conn net.Conn) netip.AddrPort {
	a, ok := conn.LocalAddr().(*net.TCPAddr)
	if !ok {
		return netip.AddrPort{}
	}
	ap := a.AddrPort()
	return netip.AddrPortFrom(ap.Addr().Unmap(), ap.Port())
}

// routerFor is the router for a client by the address that it connected to.
func (l *listener) routerFor(conn net.Conn) *router {
	if l.others != nil {
		if r := l.others[reached(conn)]; r != nil {
			return r
		}
	}
	return l.router
}

// listen opens all listen addresses of the configuration, or none.
func (p *Proxy) listen(o *Options) (err error) {
	defer func() {
		if err != nil {
			for _, l := range p.listeners {
				_ = l.Close()
			}
		}
	}()
	real := make(map[string]string, len(o.Listen))
	for written, address := range o.Listen {
		real[nginxconf.Listen{Address: written}.Key()] = address
	}
	open := func(ln nginxconf.Listen) (*listener, error) {
		tcp, err := listenTCP(real[ln.Key()])
		if err != nil {
			return nil, fmt.Errorf("reference: listen %s: %w", ln.Address, err)
		}
		l := &listener{Listener: tcp, key: ln.Key(), text: tcp.Addr().String()}
		p.listeners = append(p.listeners, l)
		return l, nil
	}
	for _, s := range o.Config.Servers {
		listens := s.Listens
		if len(listens) == 0 {
			listens = []nginxconf.Listen{{Address: "80"}}
		}
		for _, ln := range listens {
			if p.listens(ln.Key()) {
				continue
			}
			l, err := open(ln)
			if err != nil {
				return err
			}
			l.router = newRouter(o.Config, ln.Address)
		}
	}
	for _, s := range o.Config.Streams {
		for _, ln := range s.Listens {
			l, err := open(ln)
			if err != nil {
				return err
			}
			l.stream = s
		}
	}
	return nil
}

func (p *Proxy) listens(key string) bool {
	for _, l := range p.listeners {
		if l.key == key {
			return true
		}
	}
	return false
}

// listenTCP listens on an address, "" for any port of 127.0.0.1.
func listenTCP(address string) (l *net.TCPListener, err error) {
	if address != "" {
		return listenOn(address)
	}
	err = freeport.Bind(func(port int) error {
		l, err = listenOn(net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		return err
	})
	return l, err
}

func listenOn(address string) (*net.TCPListener, error) {
	// Plain TCP without keep-alive probes, as nginx listens.
	lc := net.ListenConfig{KeepAlive: -1}
	lc.SetMultipathTCP(false)
	l, err := lc.Listen(context.Background(), "tcp", address)
	if err != nil {
		return nil, err
	}
	return l.(*net.TCPListener), nil
}

// accept admits connections until the proxy closes.
func (p *Proxy) accept(l *listener) {
	defer p.loops.Done()
	for {
		select {
		case p.slots <- struct{}{}:
		case <-p.quit:
			return
		case <-p.released:
			return
		}
		conn, err := l.Accept()
		if err == nil {
			if l.stream != nil {
				p.admitSession(l, conn)
			} else {
				p.admit(l, conn.(streamConn))
			}
			continue
		}
		<-p.slots
		select {
		case <-p.released:
			return
		default:
		}
		if errors.Is(err, net.ErrClosed) {
			return
		}
		// Out of descriptors, most likely: nginx too lets half a second pass
		// (accept_mutex_delay).
		timer := time.NewTimer(500 * time.Millisecond)
		select {
		case <-timer.C:
		case <-p.quit:
			timer.Stop()
			return
		case <-p.released:
			timer.Stop()
			return
		}
	}
}
