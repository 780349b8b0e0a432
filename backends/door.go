package backends

import (
	"errors"
	"net"
	"os"
	"time"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/clock"
	"github.com/nolive/nolive/harness/event"
)

// watchDoor changes the door at its instants, tells of it, and puts everything
// away when the server is closed.
func (s *Server) watchDoor() {
	defer s.away()
	select {
	case <-s.opts.Clock.Begun():
	default:
		select {
		case <-s.opts.Clock.Begun():
		case <-s.ctx.Done():
			return
		}
		// Reads that began before scenario time did don't know when to stop.
		s.each(func(c *conn) { c.wire.wake() })
	}
	from := fault.Open
	for i, change := range s.doors {
		if s.opts.Clock.SleepUntil(s.ctx, change.At, clock.Wait) != nil {
			return
		}
		if i > 0 {
			if err := s.turn(change.Door); err != nil {
				s.fail(err)
			}
		}
		now := max(s.opts.Clock.Now(), change.At)
		if from != fault.Open {
			s.opts.Sink.Emit(event.Event{At: now, Kind: event.FaultOff, Peer: s.opts.Name, Detail: from.String()})
		}
		if change.Door != fault.Open {
			s.opts.Sink.Emit(event.Event{At: now, Kind: event.FaultOn, Peer: s.opts.Name, Detail: change.Door.String()})
		}
		from = change.Door
	}
	<-s.ctx.Done()
}

// turn puts the listener into the state that a door asks for. Connections stop
// on their own, each at the same instants; only a port that closes ends them.
func (s *Server) turn(to fault.Door) error {
	s.stopAccepting()
	switch to {
	case fault.Refusing:
		s.port.refuse()
		s.each((*conn).kill)
		return nil
	case fault.Blackholed:
		s.each(func(c *conn) { c.wire.wake() })
		return s.port.blackhole()
	case fault.Frozen:
		s.each(func(c *conn) { c.wire.wake() })
		return s.port.listen()
	}
	if err := s.port.listen(); err != nil {
		return err
	}
	s.accepting = make(chan struct{})
	go s.accept(s.port.ln, s.accepting)
	return nil
}

// stopAccepting leaves the listener as it is but takes nothing from its queue.
func (s *Server) stopAccepting() {
	if s.accepting == nil {
		return
	}
	s.port.ln.SetDeadline(past)
	<-s.accepting
	s.accepting = nil
	s.port.ln.SetDeadline(time.Time{})
}

// away puts the listener and every connection away.
func (s *Server) away() {
	s.stopAccepting()
	s.port.close()
	s.each((*conn).kill)
	s.mu.Lock()
	s.watching = false
	s.mu.Unlock()
}

// accept takes connections until it is stopped by the listener's deadline.
func (s *Server) accept(ln *net.TCPListener, ended chan<- struct{}) {
	defer close(ended)
	for {
		tcp, err := ln.AcceptTCP()
		switch {
		case err == nil && s.port.isPlug(tcp):
			tcp.Close()
		case err == nil:
			s.admit(tcp)
		case errors.Is(err, os.ErrDeadlineExceeded):
			return
		default:
			// Out of descriptors, most likely: the queue keeps the connection.
			select {
			case <-s.ctx.Done():
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}
}
