package reference

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nolive/nolive/harness/clock"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/nginxconf"
	"github.com/nolive/nolive/proxy/variable"
)

// maxClients bounds the client connections served at once; more wait in the
// kernel's queue. nginx's worker_connections is 512 by default and counts
// backend connections too; here the bound only keeps a mistake from eating the
// machine.
const maxClients = 16384

// closePatience is how long Close waits before it says what for.
const closePatience = 5 * time.Second

// Proxy is a running reference proxy.
type Proxy struct {
	clock     *clock.Clock
	sink      event.Sink
	roster    roster
	watcher   *watcher
	listeners []*listener
	slots     chan struct{}
	quit      chan struct{}
	released  chan struct{} // closed when the sockets are another's
	draining  atomic.Bool   // clients get one more answer at most
	date      dateCache
	config    *nginxconf.Config
	journal   Journal
	process   *variable.Process
	conns     *atomic.Uint64 // accepted so far
	requests  atomic.Uint64  // read so far, where nobody else numbers them

	mu      sync.Mutex
	clients map[*client]struct{}
	// sessions are the connections to stream servers.
	sessions map[*session]struct{}
	running  sync.WaitGroup // clients and sessions
	loops    sync.WaitGroup // accept loops
	tunnels  sync.WaitGroup // beneath connections to backends that speak TLS
	closing  sync.Once
	closed   chan struct{}
	err      error
}

// Start serves a configuration until Close. A configuration that the model
// can't follow is refused with each place and its reason.
func Start(o Options) (*Proxy, error) {
	p, err := New(o)
	if err != nil {
		return nil, err
	}
	p.Serve()
	return p, nil
}

// New makes a proxy that listens, but takes no client in before Serve.
func New(o Options) (*Proxy, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if o.Clock == nil {
		o.Clock = clock.New(1)
		o.Clock.Begin(time.Now())
	}
	if o.Connections == nil {
		o.Connections = new(atomic.Uint64)
	}
	if o.Sink == nil {
		o.Sink = event.Discard
	}
	addresses, err := o.resolve()
	if err != nil {
		return nil, err
	}
	w, err := newWatcher()
	if err != nil {
		return nil, fmt.Errorf("reference: watcher: %w", err)
	}
	p := &Proxy{
		clock: o.Clock, sink: o.Sink, watcher: w,
		roster:   roster{seed: o.Seed, workers: newWorkers(&o, addresses, w), numbers: map[*worker]int{}},
		slots:    make(chan struct{}, maxClients),
		quit:     make(chan struct{}),
		released: make(chan struct{}),
		config:   o.Config,
		journal:  o.Journal, process: o.Process, conns: o.Connections,
		clients: map[*client]struct{}{}, sessions: map[*session]struct{}{},
		closed: make(chan struct{}),
	}
	if o.Sockets != nil {
		p.serveOn(&o)
	} else if err := p.listen(&o); err != nil {
		w.close()
		return nil, err
	}
	return p, nil
}

// TLS is false: listens with ssl are served in plain.
func (p *Proxy) TLS() bool { return false }

// Address is the host:port at which a listen directive, as written, is served;
// "" is the first one's. It is "" for one that the configuration doesn't have.
func (p *Proxy) Address(listen string) string {
	key := nginxconf.Listen{Address: listen}.Key()
	for _, l := range p.listeners {
		if listen == "" || l.key == key {
			return l.Addr().String()
		}
	}
	return ""
}

// Align returns the real instant at which scenario time may be 0: the proxy's
// clock is the run's own, so any will do, and soon.
func (p *Proxy) Align(ctx context.Context) (time.Time, error) {
	return time.Now().Add(5 * time.Millisecond), ctx.Err()
}

// Close ends all connections and returns when everything is released, or after
// 5 s with an error that says what it waits for.
func (p *Proxy) Close() error {
	p.closing.Do(func() {
		close(p.quit)
		go p.shutdown()
	})
	timer := time.NewTimer(closePatience)
	defer timer.Stop()
	select {
	case <-p.closed:
		return p.err
	case <-timer.C:
		return p.waitingFor()
	}
}

// shutdown is the work of Close.
func (p *Proxy) shutdown() {
	defer close(p.closed)
	var errs []error
	select {
	case <-p.released:
	default:
		for _, l := range p.listeners {
			errs = append(errs, l.Close())
		}
	}
	p.loops.Wait()
	p.mu.Lock()
	for c := range p.clients {
		c.abandon()
	}
	for s := range p.sessions {
		s.abandon()
	}
	p.mu.Unlock()
	p.running.Wait()
	for _, w := range p.roster.workers {
		for _, n := range w.nodes {
			n.close()
		}
	}
	p.tunnels.Wait()
	p.watcher.close()
	p.err = errors.Join(errs...)
}

// waitingFor says which connections aren't closed yet.
func (p *Proxy) waitingFor() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	count := map[uint32]int{}
	for c := range p.clients {
		count[c.doing.Load()]++
	}
	var what []string
	for doing, n := range count {
		what = append(what, fmt.Sprintf("%d client connections %s", n, doings[doing]))
	}
	if n := len(p.sessions); n > 0 {
		what = append(what, fmt.Sprintf("%d sessions", n))
	}
	sort.Strings(what)
	if len(what) == 0 {
		what = []string{"a listener"}
	}
	return fmt.Errorf("reference: close: still waiting after %v for %s", closePatience, strings.Join(what, ", "))
}

// admit serves an accepted connection in a goroutine of its own.
func (p *Proxy) admit(l *listener, conn streamConn) {
	c, err := newClient(p, l, conn, p.conns.Add(1))
	if err != nil {
		_ = conn.Close()
		<-p.slots
		return
	}
	p.mu.Lock()
	p.clients[c] = struct{}{}
	p.running.Add(1)
	p.mu.Unlock()
	select {
	case <-p.quit:
		c.abandon() // it came too late for shutdown to see it
	default:
	}
	go c.serve()
}

// done forgets a connection that is closed.
func (p *Proxy) done(c *client) {
	p.mu.Lock()
	delete(p.clients, c)
	p.mu.Unlock()
	<-p.slots
	p.running.Done()
}
