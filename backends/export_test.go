package backends

import (
	"context"
	"net"
)

// Connections is the number of open connections.
func (s *Server) Connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.conns)
}

// Hold adds a connection that doesn't end by itself.
func (s *Server) Hold() (release context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	c := &conn{s: s, cancel: func() {}}
	c.wire.conn = new(net.TCPConn) // closing that does nothing
	s.mu.Lock()
	s.conns[c] = struct{}{}
	s.mu.Unlock()
	s.running.Go(func() { <-ctx.Done() })
	return cancel
}
