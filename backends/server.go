package backends

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nolive/nolive/backends/fault"
)

// Server is one fake backend on a real socket.
type Server struct {
	opts  Options
	doors fault.Doors
	shuts bool // some door isn't open at some time
	port  *port

	ctx      context.Context
	cancel   context.CancelFunc
	once     sync.Once
	closed   error
	running  sync.WaitGroup
	buffers  sync.Pool
	requests atomic.Int64

	// state is what the rules remember, under deciding.
	deciding sync.Mutex
	state    fault.State

	mu          sync.Mutex
	conns       map[*conn]struct{}
	connections int
	watching    bool  // the door's goroutine runs
	failed      error // of the door

	// accepting is closed when the accept loop has ended; nil without one. Only
	// Start and then the door's goroutine touch it.
	accepting chan struct{}
}

// Start opens the backend's port and serves until Close. It fails on rules that
// can't be meant and on a port that can't be had.
func Start(opts Options) (*Server, error) {
	addr, err := opts.check()
	if err != nil {
		return nil, fmt.Errorf("backend %s: %w", opts.Name, err)
	}
	s := &Server{opts: opts, doors: opts.Rules.DoorChanges(), conns: map[*conn]struct{}{}, watching: true}
	s.shuts = len(s.doors) > 1 || s.doors[0].Door != fault.Open
	s.buffers.New = func() any { return newBuffers() }
	s.ctx, s.cancel = context.WithCancel(context.Background())
	if s.port, err = reserve(addr); err == nil {
		if err = s.turn(s.doors[0].Door); err != nil {
			s.port.close()
		}
	}
	if err != nil {
		s.cancel()
		return nil, fmt.Errorf("backend %s: listen on %s: %w", opts.Name, addr, err)
	}
	s.running.Go(s.watchDoor)
	return s, nil
}

// Addr is the address that the backend has, "127.0.0.1:port", also while it refuses.
func (s *Server) Addr() string { return s.port.addr.String() }

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
func (s *Server) admit(tcp *net.TCPConn) {
	c := &conn{s: s}
	ctx, cancel := context.WithCancel(s.ctx)
	c.cancel = cancel
	c.wire = wire{conn: tcp, ctx: ctx, clock: s.opts.Clock, doors: s.doors, shuts: s.shuts, until: never}
	s.mu.Lock()
	s.connections++
	c.number = s.connections
	s.conns[c] = struct{}{}
	s.mu.Unlock()
	s.running.Go(c.serve)
}

// forget lets an ended connection go.
func (s *Server) forget(c *conn) {
	s.mu.Lock()
	delete(s.conns, c)
	s.mu.Unlock()
	c.kill()
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
	s.failed = errors.Join(s.failed, fmt.Errorf("backend %s: %w", s.opts.Name, err))
}
