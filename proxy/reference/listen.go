package reference

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"syscall"
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

// The ports tried when the kernel has no free one left: those below its
// ephemeral range, which outgoing connections don't take.
const (
	firstPort = 20000
	lastPort  = 32767
)

// listenTCP listens on an address, "" for any port of 127.0.0.1.
func listenTCP(address string) (*net.TCPListener, error) {
	if address != "" {
		return listenOn(address)
	}
	l, err := listenOn("127.0.0.1:0")
	// After a run with many connections every ephemeral port may be in
	// TIME_WAIT for a minute; then the kernel finds none for a listener.
	for port := firstPort; errors.Is(err, syscall.EADDRINUSE) && port <= lastPort; port++ {
		l, err = listenOn(net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	}
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
