package reference

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/nolive/nolive/harness/clock"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/nginxconf"
	"github.com/nolive/nolive/proxy/upstream"
	"github.com/nolive/nolive/proxy/variable"
)

// session is a client's connection to a stream server and what it is passed on
// to. Its request nobody here knows: events name it by its ends.
type session struct {
	proxy  *Proxy
	listen *listener
	server *nginxconf.StreamServer
	node   *node
	pass   *nginxconf.StreamPass
	worker int
	id     event.Request
	client net.Conn
	model  upstream.Request
	// account is nil without a journal.
	account *sessionAccount

	// ctx ends when the proxy closes.
	ctx    context.Context
	cancel context.CancelFunc
	// moved is when proxy_timeout's timer was last set, in nanoseconds of real time since
	// began.
	moved atomic.Int64
	began time.Time
	over  sync.Once
	ended atomic.Bool
}

// admitSession serves an accepted connection in a goroutine of its own.
func (p *Proxy) admitSession(l *listener, conn net.Conn) {
	n := p.conns.Add(1)
	w := p.roster.worker(n)
	server := l.streamFor(conn)
	s := &session{
		proxy: p, listen: l, server: server, node: w.nodes[server.Pass.Upstream], pass: server.Pass, client: conn, began: time.Now(),
		id: event.Request{Traffic: event.SessionOf(conn.RemoteAddr().String(), conn.LocalAddr().String()), N: -int(n)},
	}
	s.worker = p.roster.number(w)
	s.ctx, s.cancel = context.WithCancel(context.Background())
	if p.journal != nil {
		s.account = newSessionAccount(s, n)
	}
	p.mu.Lock()
	p.sessions[s] = struct{}{}
	p.running.Add(1)
	p.mu.Unlock()
	select {
	case <-p.quit:
		s.abandon() // it came too late for shutdown to see it
	default:
	}
	go s.serve()
}

// abandon ends the session: the proxy closes.
func (s *session) abandon() {
	s.cancel()
	_ = s.client.SetDeadline(longAgo)
}

// serve passes the connection on until one side ends it.
func (s *session) serve() {
	defer s.finish()
	d := s.begin()
	for d.Action == upstream.Try {
		up, o := s.connect(d.Peer)
		if o == 0 {
			s.relay(up)
			return
		}
		d = s.failed(o)
	}
	s.answered(d.Status)
}

// finish releases everything.
func (s *session) finish() {
	p := s.proxy
	s.cancel()
	_ = s.client.Close()
	p.mu.Lock()
	delete(p.sessions, s)
	p.mu.Unlock()
	<-p.slots
	p.running.Done()
}

func (s *session) begin() upstream.Decision {
	var rq variable.Request
	var trusted *nginxconf.Pass
	if a, ok := s.client.RemoteAddr().(*net.TCPAddr); ok {
		trusted.Identify(&rq, a.AddrPort().Addr().Unmap())
	} else {
		trusted.Identify(&rq, netip.Addr{})
	}
	n := s.node
	s.lock()
	defer n.mu.Unlock()
	return s.model.Begin(n.group, nil, upstream.Arrival{
		ID: s.id, Worker: s.worker, Policy: s.pass.Policy, Seed: s.proxy.roster.seed,
		ClientAddr: rq.Client.Binary, Key: s.pass.Upstream.Key.Value(&rq),
	}, n.clock.Now())
}

// connect opens a connection to a peer. A client that leaves meanwhile isn't
// noticed, as on nginx.
func (s *session) connect(peer int) (net.Conn, event.Outcome) {
	k := s.proxy.clock
	deadline := time.Now().Add(k.Real(s.pass.ConnectTimeout))
	d := dialer
	d.Deadline = deadline
	network, address := "tcp", s.node.addresses[peer]
	if path, ok := strings.CutPrefix(address, "unix:"); ok {
		network, address = "unix", path
	}
	if s.account != nil {
		s.proxy.conns.Add(1)
	}
	up, err := d.DialContext(s.ctx, network, address)
	var late net.Error
	switch {
	case err == nil:
		return up, 0
	case errors.As(err, &late) && late.Timeout() && !errors.Is(err, syscall.EAGAIN): // a full queue's, of a unix socket
		k.NoteLate(clock.Wait, deadline)
		return nil, event.ConnectTimeout
	}
	if errors.Is(err, syscall.EAGAIN) {
		s.model.QueueFull()
	}
	if s.account != nil {
		s.account.cause.notConnected(err, s.node.addresses[peer])
	}
	return nil, event.Refused
}

// lock takes the lock of the group for this session.
func (s *session) lock() {
	s.node.mu.Lock()
	s.node.witness.of = nil
	if s.account != nil {
		s.node.witness.of = s.account
	}
}

func (s *session) failed(o event.Outcome) upstream.Decision {
	n := s.node
	s.lock()
	defer n.mu.Unlock()
	return s.model.Fail(n.clock.Now(), o)
}

// answered tells that the session is over and what nginx would log.
func (s *session) answered(status int) {
	p := s.proxy
	p.sink.Emit(event.Event{At: p.clock.Now(), Kind: event.ProxyAnswered, Request: s.id, Status: status, Worker: s.worker})
	if s.account != nil {
		s.account.over(status)
	}
}

// relay passes bytes both ways until one side ends, or nothing passes for
// proxy_timeout. Either side's end is the end of both (proxy_half_close off), once
// what it sent before is out.
func (s *session) relay(up net.Conn) {
	n := s.node
	if s.account != nil {
		s.account.connected(up)
	}
	s.lock()
	s.model.Connected(n.clock.Now())
	n.mu.Unlock()
	stop := context.AfterFunc(s.ctx, func() {
		_ = s.client.SetDeadline(longAgo)
		_ = up.SetDeadline(longAgo)
	})
	defer stop()
	s.moved.Store(int64(time.Since(s.began)))
	var both sync.WaitGroup
	both.Go(func() { s.end(up, fromClient, s.pipe(up, s.client, fromClient), 0) })
	how := event.Outcome(0)
	err := s.pipe(s.client, up, fromUpstream)
	if errors.Is(err, syscall.ECONNRESET) {
		how = event.Reset
	}
	s.end(up, fromUpstream, err, how)
	both.Wait()
	_ = up.Close()
}

// end ends the session, once: the peer is let go before the client hears of it.
func (s *session) end(up net.Conn, side side, err error, how event.Outcome) {
	s.over.Do(func() {
		n := s.node
		if s.account != nil {
			s.account.ends(side, err)
		}
		s.lock()
		s.model.Relayed(n.clock.Now(), how)
		n.mu.Unlock()
		if s.account != nil {
			s.account.ended(side, err)
		}
		s.answered(200)
		s.ended.Store(true)
		_ = up.SetDeadline(longAgo)
		_ = s.client.SetDeadline(longAgo)
	})
}

// pipe passes bytes on in one direction until it ends.
func (s *session) pipe(to, from net.Conn, side side) error {
	b := lend(streamSize)
	defer giveBack(b)
	timeout := s.proxy.clock.Real(s.pass.Timeout)
	_ = from.SetReadDeadline(time.Now().Add(timeout))
	for !s.ended.Load() { // who ends it moves the deadline afterwards
		n, err := from.Read(b)
		if n > 0 {
			s.touch()
			if s.account != nil {
				s.account.received(side, n)
				s.account.sent(side, n) // before the other side can answer
			}
			if _, werr := to.Write(b[:n]); werr != nil {
				if s.account != nil {
					s.account.sent(side, -n)
				}
				return notSent{werr}
			}
			s.touch()
		}
		if err == nil {
			continue
		}
		if !errors.Is(err, os.ErrDeadlineExceeded) || s.ctx.Err() != nil {
			return err
		}
		// The other direction may have gone on meanwhile.
		due := s.began.Add(time.Duration(s.moved.Load())).Add(timeout)
		if !time.Now().Before(due) {
			s.proxy.clock.NoteLate(clock.Wait, due)
			return err
		}
		_ = from.SetReadDeadline(due)
	}
	return os.ErrDeadlineExceeded
}

// touch notes that something passed. proxy_timeout's timer is lazy, as all of nginx's
// are: see upstream.Timer.
func (s *session) touch() {
	now := time.Since(s.began)
	if now-time.Duration(s.moved.Load()) >= s.proxy.clock.Real(upstream.LazyDelay) {
		s.moved.Store(int64(now))
	}
}
