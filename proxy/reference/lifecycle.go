package reference

import (
	"context"
	"time"

	"github.com/nolive/nolive/harness/event"
)

// Serve begins to take clients in. It is called once.
func (p *Proxy) Serve() {
	for _, l := range p.listeners {
		p.loops.Add(1)
		go p.accept(l)
	}
}

// Release stops taking clients in and leaves the sockets open, for the proxy that
// comes after this one; who connects meanwhile waits in the kernel's queue.
func (p *Proxy) Release() {
	close(p.released)
	for _, l := range p.listeners {
		setDeadline(l, longAgo)
	}
	p.loops.Wait()
	for _, l := range p.listeners {
		setDeadline(l, time.Time{})
	}
}

// setDeadline ends a listener's Accept, or lets it wait again.
func setDeadline(l *listener, t time.Time) {
	if d, ok := l.Listener.(interface{ SetDeadline(time.Time) error }); ok {
		_ = d.SetDeadline(t)
	}
}

// Drain lets the requests that are going on finish, closes connections on which
// none is, and returns when all are closed (ngx_worker_process_cycle with
// ngx_exiting). It comes after Release.
func (p *Proxy) Drain() {
	p.draining.Store(true)
	for _, w := range p.roster.workers {
		for _, n := range w.nodes {
			n.close()
		}
	}
	p.mu.Lock()
	for c := range p.clients {
		_ = c.sock.conn.SetReadDeadline(longAgo)
	}
	p.mu.Unlock()
	p.running.Wait()
}

// between is the halter of a client that is between two requests: the end of the
// proxy ends it, also when that lets running requests finish.
type between struct{ c *client }

var _ halter = between{}

func (b between) halted() bool { return b.c.halted() || b.c.proxy.draining.Load() }

// Settle returns when no client is connected any more and nothing goes on for one that
// was, or when ctx ends. Clients that have left are seen then, so Close ends nothing that
// they had ended.
func (p *Proxy) Settle(ctx context.Context) {
	p.await(ctx, func() bool { return len(p.clients)+len(p.sessions) == 0 })
}

// Finish returns when no request goes on for a client, there or not, or when ctx ends:
// of those given, and all others. Sessions may go on.
func (p *Proxy) Finish(ctx context.Context, _ []event.Request) {
	p.await(ctx, func() bool { return len(p.clients) == 0 })
}

// await waits until something is so.
func (p *Proxy) await(ctx context.Context, so func() bool) {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		p.mu.Lock()
		done := so()
		p.mu.Unlock()
		if done {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}
