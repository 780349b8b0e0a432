package process

import (
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/nolive/nolive/proxy/nginxconf"
)

// Signals are those that the process listens to (ngx_init_signals).
var Signals = []os.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGHUP, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGWINCH}

// cycle obeys signals until one ends the process (ngx_master_process_cycle).
func (p *process) cycle() int {
	defer func() { removePID(p.pid) }()
	drained := make(chan *generation, 64) // so that nobody waits for a process that has ended
	quitting := false
	for {
		select {
		case g := <-drained:
			p.forget(g)
			if quitting && len(p.before) == 0 {
				p.now.logs.note(nginxconf.Notice, "exit")
				p.close()
				return 0
			}
		case s := <-p.signals:
			switch s {
			case syscall.SIGTERM, syscall.SIGINT:
				p.received(s, "exiting")
				p.close()
				return 0
			case syscall.SIGQUIT:
				if quitting {
					continue
				}
				p.received(s, "shutting down")
				quitting = true
				p.now.proxy.Release()
				p.closeSockets(nil)
				p.drain(p.now, drained)
			case syscall.SIGHUP:
				if quitting {
					continue
				}
				p.received(s, "reconfiguring")
				p.reload(drained)
			case syscall.SIGUSR1:
				p.received(s, "reopening logs")
				p.reopen()
			default:
				p.received(s, "ignored: there are no other binaries and no other processes")
			}
		}
	}
}

// received notes a signal.
func (p *process) received(s os.Signal, what string) {
	no, _ := s.(syscall.Signal)
	p.now.logs.note(nginxconf.Notice, fmt.Sprintf("signal %d (%s) received, %s", int(no), names[no], what))
}

var names = map[syscall.Signal]string{
	syscall.SIGTERM: "SIGTERM", syscall.SIGINT: "SIGINT", syscall.SIGQUIT: "SIGQUIT", syscall.SIGHUP: "SIGHUP",
	syscall.SIGUSR1: "SIGUSR1", syscall.SIGUSR2: "SIGUSR2", syscall.SIGWINCH: "SIGWINCH",
}

// reload takes the configuration anew. When it is broken, or what it needs can't
// be had, the old one goes on. Every peer is fresh afterwards, and idle client
// connections are closed: that is what a reload costs on nginx too.
func (p *process) reload(drained chan<- *generation) {
	c, _, err := read(&p.options, p.place)
	var next *generation
	var sockets []*listening
	if err == nil {
		next, sockets, err = p.generation(c)
	}
	if err == nil {
		if path := c.pidPath(); path != p.pid {
			if err = writePID(path); err == nil {
				removePID(p.pid)
				p.pid = path
			} else {
				p.abandon(next, sockets)
			}
		}
	}
	if err != nil {
		level, lines := refused(err)
		for _, l := range lines {
			p.now.logs.note(level, l)
		}
		return
	}
	old := p.now
	old.proxy.Release()
	next.proxy.Serve()
	p.closeSockets(sockets)
	p.now = next
	for _, w := range c.warnings() {
		next.logs.note(nginxconf.Warn, w)
	}
	p.drain(old, drained)
}

// abandon ends a generation that never served, but not the sockets that it shares
// with the present one.
func (p *process) abandon(g *generation, sockets []*listening) {
	g.proxy.Release()
	g.end()
	for _, s := range sockets {
		if find(p.sockets, s.key) == nil {
			s.close()
		}
	}
}

// closeSockets closes the sockets that aren't wanted any more.
func (p *process) closeSockets(wanted []*listening) {
	for _, s := range p.sockets {
		if find(wanted, s.key) == nil {
			s.close()
		}
	}
	p.sockets = wanted
}

// drain lets a generation's requests finish, for as long as
// worker_shutdown_timeout allows.
func (p *process) drain(g *generation, drained chan<- *generation) {
	p.before = append(p.before, g)
	if d := g.conf.Tree.Main("worker_shutdown_timeout"); d != nil {
		if limit, ok := nginxconf.Milliseconds(d.Arg(0)); ok {
			time.AfterFunc(limit, func() { _ = g.proxy.Close() })
		}
	}
	go func() {
		g.proxy.Drain()
		drained <- g
	}()
}

// forget ends a generation whose last client is gone.
func (p *process) forget(g *generation) {
	for i, b := range p.before {
		if b == g {
			p.before = append(p.before[:i], p.before[i+1:]...)
			break
		}
	}
	_ = g.proxy.Close()
	if g != p.now {
		g.logs.close()
	}
}

// reopen opens all logs again, of old generations too.
func (p *process) reopen() {
	for _, g := range append([]*generation{p.now}, p.before...) {
		if err := g.logs.reopen(); err != nil {
			_, lines := refused(err)
			p.now.logs.note(nginxconf.Emerg, lines[0])
		}
	}
}

// close ends everything at once.
func (p *process) close() {
	for _, g := range p.before {
		if g != p.now {
			g.end()
		}
	}
	p.now.end()
	p.closeSockets(nil)
}
