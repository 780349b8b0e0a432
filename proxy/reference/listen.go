package reference

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/nolive/nolive/proxy/nginxconf"
)

// listener is one listen address.
type listener struct {
	*net.TCPListener
	key    string
	router *router
}

// listen opens all listen addresses of the configuration, or none.
func (p *Proxy) listen(o *Options) error {
	real := make(map[string]string, len(o.Listen))
	for written, address := range o.Listen {
		real[listenKey(written)] = address
	}
	for _, s := range o.Config.Servers {
		listens := s.Listens
		if len(listens) == 0 {
			listens = []nginxconf.Listen{{Address: "80"}}
		}
		for _, ln := range listens {
			key := listenKey(ln.Address)
			if p.listens(key) {
				continue
			}
			l, err := listenTCP(real[key])
			if err != nil {
				for _, l := range p.listeners {
					_ = l.Close()
				}
				return fmt.Errorf("reference: listen %s: %w", ln.Address, err)
			}
			p.listeners = append(p.listeners, &listener{l, key, newRouter(o.Config, key, ln.Address)})
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

func listenTCP(address string) (*net.TCPListener, error) {
	if address == "" {
		address = "127.0.0.1:0"
	}
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
	defer p.running.Done()
	for {
		select {
		case p.slots <- struct{}{}:
		case <-p.quit:
			return
		}
		conn, err := l.AcceptTCP()
		if err == nil {
			p.admit(l, conn)
			continue
		}
		<-p.slots
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
		}
	}
}
