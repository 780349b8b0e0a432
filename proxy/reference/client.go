package reference

import (
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nolive/nolive/proxy/nginxconf"
	"github.com/nolive/nolive/proxy/upstream"
	"github.com/nolive/nolive/proxy/variable"
	"github.com/nolive/nolive/proxy/wire"
)

// client is one client connection and whatever it is doing.
type client struct {
	sock
	proxy  *Proxy
	worker *worker
	number int // the worker's, in events; -1 until its first request
	heads  nginxconf.Heads
	rules  nginxconf.Clients // where the last request was
	since  time.Time         // of its connection
	listen *listener
	router *router
	peer   net.Addr         // the client's
	self   variable.Address // the same, for variables
	// served counts requests, for keepalive_requests.
	served int

	in  buffer // from the client
	rq  request
	rs  wire.Head
	rb  buffer // from the backend
	out []byte // the request as it goes to a backend, with a body that is small
	wb  []byte // to the client
	// body is the request body where it is too big for out.
	body     body
	file     *os.File // the body as it goes to a backend, where it isn't in out
	model    upstream.Request
	tries    int // of earlier passes of the request
	attempt  attempt
	relay    relay
	route    routed
	vars     variable.Request // of the request, for what the configuration makes of it
	instead  nginxconf.Step   // of a backend's response that was intercepted
	account  *account         // nil without a journal
	logsLate bool             // the account closes only when the client lingers no more
	doing    atomic.Uint32    // what Close says it waits for

	mu    sync.Mutex
	key   uint64 // the watcher's
	left  bool   // the client closed, or closed its sending half
	watch bool   // a client that leaves ends what is going on
	// stopped is closed, and stop set, when what is going on has to end.
	stop    atomic.Bool
	stopped chan struct{}
	up      *sock  // the backend connection to interrupt then
	cancel  func() // the connect to interrupt then
}

var (
	_ stirred = (*client)(nil)
	_ halter  = (*client)(nil)
)

// doing values.
const (
	idling uint32 = iota
	readingRequest
	connecting
	sending
	awaiting
	passing
	lingering
)

var doings = [...]string{"idle", "reading its request", "connecting to a backend", "sending its request",
	"waiting for a backend", "passing a response on", "lingering"}

func newClient(p *Proxy, l *listener, conn streamConn, n uint64) (*client, error) {
	c := &client{proxy: p, listen: l, router: l.routerFor(conn), worker: p.roster.worker(n), number: -1, since: time.Now(), peer: conn.RemoteAddr(), stopped: make(chan struct{})}
	c.in.size, c.rb.size = page, page
	c.heads = c.router.fallback.Heads()
	c.rq.terms = termsOf(p.config.Version, &c.heads)
	c.rules = c.router.fallback.Clients()
	if err := c.sock.init(conn); err != nil {
		return c, err
	}
	if c.self = addressOf(c.peer); c.self.IP == "" {
		c.self.IP = "unix:"
	}
	if p.journal != nil {
		c.account = newAccount(c, n)
	}
	c.vars.Server = addressOf(conn.LocalAddr())
	if c.router != nil {
		c.vars.TLS = c.router.port.TLS
	}
	c.vars.Header = func(yield func(name, value []byte) bool) {
		for _, f := range c.rq.fields {
			if !yield(f.Name, f.Value) {
				return
			}
		}
	}
	return c, nil
}

// halted tells whoever waits on this client's behalf to give up.
func (c *client) halted() bool { return c.stop.Load() }

// stir notes that the client left.
func (c *client) stir(arrived) (forget bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.left = true
	if c.watch {
		c.halt()
	}
	return true
}

// abandon ends whatever is going on: the proxy closes.
func (c *client) abandon() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.halt()
}

// halt is called with mu held.
func (c *client) halt() {
	if c.stop.Swap(true) {
		return
	}
	close(c.stopped)
	c.sock.poke()
	if c.up != nil {
		c.up.poke()
	}
	if c.cancel != nil {
		go c.cancel()
	}
}

// attend makes the client's leaving end what is going on, from now on. A client
// whose FIN came with its request counts as gone too, since 1.19.9.
func (c *client) attend() {
	if !c.proxy.config.Version.NoticesEarlyEnd() {
		c.attendLate()
		return
	}
	c.mu.Lock()
	key := c.key
	c.watch = true
	if c.left {
		c.halt()
	}
	c.mu.Unlock()
	if key == 0 {
		key = c.proxy.watcher.add(c.fd, c, hangups)
		c.mu.Lock()
		c.key = key
		c.mu.Unlock()
		c.proxy.watcher.drain() // an end that came with the request comes first
	}
}

// attendLate is attend for a FIN that is still to come: one that came with the
// request nginx wasn't told of again.
func (c *client) attendLate() {
	c.mu.Lock()
	key := c.key
	c.mu.Unlock()
	if key == 0 {
		key = c.proxy.watcher.add(c.fd, c, hangups)
	}
	c.proxy.watcher.drain()
	c.mu.Lock()
	c.key, c.watch, c.left = key, true, false
	c.mu.Unlock()
}

// ignore ends attend.
func (c *client) ignore() {
	c.mu.Lock()
	c.watch, c.up = false, nil
	c.mu.Unlock()
}

// unwatch lets the client leave unnoticed while its body is passed on; reading
// that finds out. rewatch ends it. A client whose end came with the rest of its
// body has left unnoticed: nginx is told only once.
func (c *client) unwatch() { c.watching(false) }
func (c *client) rewatch() {
	c.proxy.watcher.drain()
	c.watching(true)
}

// watching is called by them.
func (c *client) watching(on bool) {
	c.mu.Lock()
	c.watch = on
	c.mu.Unlock()
}

// use names the backend connection that halt has to interrupt, nil for none.
func (c *client) use(up *sock) {
	c.mu.Lock()
	c.up = up
	stopped := c.stop.Load()
	c.mu.Unlock()
	if stopped && up != nil {
		up.poke()
	}
}

// serve serves the connection until it is closed.
func (c *client) serve() {
	defer c.finish()
	for {
		status, err := c.readHead()
		switch {
		case err != nil:
			return
		case status != 0:
			c.route.fixed = false
			if c.account == nil { // which has done it
				c.route.way.Wait(c.proxy.config, c.router.fallback, &c.vars)
			}
			c.answerAndLinger(status)
			return
		}
		if !c.handle() || c.proxy.draining.Load() {
			return
		}
		c.in.rest()
	}
}

// finish releases everything.
func (c *client) finish() {
	c.mu.Lock()
	key := c.key
	c.mu.Unlock()
	c.proxy.watcher.forget(key)
	c.sock.close()
	c.in.drop()
	c.rb.drop()
	c.release()
	c.body.drop()
	c.proxy.done(c)
}

// release gives back the buffers of one request.
func (c *client) release() {
	if c.out != nil {
		giveBack(c.out)
		c.out = nil
	}
	if c.wb != nil {
		giveBack(c.wb)
		c.wb = nil
	}
}
