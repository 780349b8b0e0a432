package backends

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Server is one fake backend on a real socket.
type Server struct {
	opts Options
	gate gate
	// in is the regime in force; it is changed with mu held.
	in atomic.Pointer[regime]

	ctx     context.Context
	cancel  context.CancelFunc
	once    sync.Once
	closed  error
	running sync.WaitGroup
	buffers sync.Pool

	mu          sync.Mutex
	conns       map[*conn]struct{}
	connections int           // accepted so far
	requests    int           // whose head was read so far
	versions    int           // sets of rules so far
	watching    bool          // the door's goroutine runs
	failed      error         // of the door
	short       bool          // out of descriptors, and told so
	refused     int           // of the open connections, those there was no room for
	room        chan struct{} // closed when a connection ends, nil without anybody who waits
	alarm       func(error)

	// accepting is the accept loop, nil without one. Only Start and then the door's
	// goroutine touch it.
	accepting *accepting
}

// Start opens the backend's port and serves until Close. It fails on rules that
// can't be meant and on a port that can't be had.
func Start(opts Options) (*Server, error) { return start(opts, func(*Server) {}) }

// start is Start with a last touch before anybody can come.
func start(opts Options, prepare func(*Server)) (*Server, error) {
	at, err := opts.check()
	if err != nil {
		return nil, fmt.Errorf("backend %s: %w", opts.Name, err)
	}
	s := &Server{opts: opts, conns: map[*conn]struct{}{}, watching: true}
	s.in.Store(newRegime(s.newSet(opts.Rules, opts.Text, 0), opts.Rules.DoorChanges()))
	prepare(s)
	s.buffers.New = func() any { return newBuffers() }
	s.ctx, s.cancel = context.WithCancel(context.Background())
	if s.gate, err = at.reserve(opts.Backlog); err == nil {
		if err = s.turn(s.in.Load().doors[0].Door); err != nil {
			s.gate.close()
		}
	}
	if err != nil {
		s.cancel()
		return nil, fmt.Errorf("backend %s: listen on %s: %w", opts.Name, at, err)
	}
	s.running.Go(s.watchDoor)
	return s, nil
}

// Addr is the address that the backend has, "127.0.0.1:port" or "unix:/path", also
// while it refuses.
func (s *Server) Addr() string { return s.gate.address() }

// Counts are what a backend has seen so far.
type Counts struct {
	// Connections were accepted, Open of them are still open.
	Connections, Open int
	// Requests whose head was read.
	Requests int
}

// Counts returns what the backend has seen so far.
func (s *Server) Counts() Counts {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Counts{Connections: s.connections, Open: len(s.conns), Requests: s.requests}
}

// Close ends every connection and frees the port. It returns when all is gone,
// or after 5 s with an error that says what is left. It may be called again.
func (s *Server) Close() error {
	s.once.Do(func() {
		s.cancel()
		gone := make(chan struct{})
		go func() { s.running.Wait(); close(gone) }()
		patience := time.NewTimer(5 * time.Second)
		defer patience.Stop()
		select {
		case <-gone:
			s.closed = s.failed
		case <-patience.C:
			s.closed = s.left()
		}
	})
	return s.closed
}

func (s *Server) left() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	what := fmt.Sprintf("%d connections", len(s.conns))
	if len(s.conns) == 1 {
		what = "1 connection"
	}
	if s.watching {
		what += " and its listener"
	}
	return fmt.Errorf("backend %s: close: still waiting for %s", s.opts.Name, what)
}

// admit takes a new connection in and numbers it.
func (s *Server) admit(k socket) *conn {
	c := &conn{s: s, counted: make(chan struct{})}
	ctx, cancel := context.WithCancel(s.ctx)
	c.cancel = cancel
	c.wire = wire{conn: k, ctx: ctx, clock: s.opts.Clock, in: &s.in, until: never}
	s.mu.Lock()
	s.connections++
	c.number = s.connections
	if f := s.in.Load().rules.Limit(); f != nil && f.Limit.Full != 0 && len(s.conns)-s.refused >= f.Limit.Max {
		c.refused = f
		s.refused++
	}
	s.conns[c] = struct{}{}
	s.mu.Unlock()
	s.running.Go(c.serve)
	return c
}

// countRequest counts a request and says which rules it gets: both at once, so
// that no request belongs to one set and is counted for another.
func (s *Server) countRequest() (x *set, number int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests++
	return s.in.Load().set, s.requests
}

// forget lets an ended connection go.
func (s *Server) forget(c *conn) {
	c.kill()
	s.mu.Lock()
	delete(s.conns, c)
	if c.refused != nil {
		s.refused--
	}
	if s.room != nil {
		close(s.room)
		s.room = nil
	}
	s.mu.Unlock()
}

// each calls f for every connection.
func (s *Server) each(f func(*conn)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		f(c)
	}
}

func (s *Server) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	err = fmt.Errorf("backend %s: %w", s.opts.Name, err)
	s.failed = errors.Join(s.failed, err)
	if s.alarm != nil {
		s.alarm(err)
	}
}
