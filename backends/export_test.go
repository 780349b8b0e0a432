package backends

import (
	"bytes"
	"context"
	"encoding/gob"
	"net"

	"github.com/nolive/nolive/backends/fault"
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
	c.wire.conn = tcpSocket{new(net.TCPConn)} // closing that does nothing
	s.mu.Lock()
	s.conns[c] = struct{}{}
	s.mu.Unlock()
	s.running.Go(func() { <-ctx.Done() })
	return cancel
}

// ThroughOrders sends rules through what a process is told by.
func ThroughOrders(in fault.Rules) (fault.Rules, error) {
	var pipe bytes.Buffer
	var out order
	if err := gob.NewEncoder(&pipe).Encode(order{Setup: &setup{Rules: in}}); err != nil {
		return nil, err
	}
	err := gob.NewDecoder(&pipe).Decode(&out)
	if err != nil {
		return nil, err
	}
	return out.Setup.Rules, nil
}
