package reference

import (
	"errors"
	"io"
	"net"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

var (
	// errHalted: the wait was given up because its halter halted.
	errHalted = errors.New("halted")
	// errSignal: the wait was interrupted by sock.wake.
	errSignal = errors.New("signal")
	// errTimeout: the deadline passed.
	errTimeout = errors.New("timed out")
)

// halter says whether whoever waits on a socket should give up. Who halts it
// pokes the socket afterwards.
type halter interface{ halted() bool }

// longAgo is a deadline that has passed.
var longAgo = time.Unix(1, 0)

// streamConn is a TCP connection, or one over a unix socket.
type streamConn interface {
	net.Conn
	syscall.Conn
	CloseWrite() error
}

var (
	_ streamConn = (*net.TCPConn)(nil)
	_ streamConn = (*net.UnixConn)(nil)
)

// sock is a connection on which a wait can be interrupted from outside
// without a goroutine, and on which a deadline costs nothing until it matters:
// one that was set earlier and is still to come stays, and who is woken by it
// too early waits on. One goroutine reads and one writes.
type sock struct {
	conn streamConn
	raw  syscall.RawConn
	// fd is valid until close.
	fd int
	// signal is set, then the read deadline moved, to interrupt a reader.
	signal atomic.Bool
	// bytesOut and bytesIn are how many bytes it has carried.
	bytesOut, bytesIn atomic.Int64

	reading  *buffer
	readN    int
	readErr  error
	readNow  bool // don't wait
	readFn   func(uintptr) bool
	armedR   time.Time
	writing  []byte
	writeN   int
	writeErr error
	writeNow bool
	writeFn  func(uintptr) bool
	// parked is true while a write waits for room; onPark, if there is one, is told.
	parked atomic.Bool
	onPark func()
	armedW time.Time
}

// init takes conn over.
func (s *sock) init(conn streamConn) error {
	raw, err := conn.SyscallConn()
	if err != nil {
		return err
	}
	s.conn, s.raw = conn, raw
	s.readFn, s.writeFn = s.readOnce, s.writeOnce
	return raw.Control(func(fd uintptr) { s.fd = int(fd) })
}

func (s *sock) close() { _ = s.conn.Close() }

// poke interrupts whoever reads or writes, now or next; they look at their halter.
func (s *sock) poke() { _ = s.conn.SetDeadline(longAgo) }

// pokeWrite interrupts the writer, pokeRead the reader.
func (s *sock) pokeWrite() { _ = s.conn.SetWriteDeadline(longAgo) }
func (s *sock) pokeRead()  { _ = s.conn.SetReadDeadline(longAgo) }

// wake interrupts the reader, which gets errSignal once.
func (s *sock) wake() {
	s.signal.Store(true)
	_ = s.conn.SetReadDeadline(longAgo)
}

// readOnce reads what is there; the socket waits while it returns false.
func (s *sock) readOnce(fd uintptr) bool {
	for {
		n, err := unix.Read(int(fd), s.reading.space())
		switch err {
		case unix.EINTR:
			continue
		case unix.EAGAIN:
			s.reading.rest()
			if !s.readNow {
				return false
			}
		}
		s.readN, s.readErr = n, err
		return true
	}
}

// read waits for bytes and adds them to b, which must not be full. It returns
// io.EOF, errTimeout, errSignal, errHalted or the socket's error. A zero
// deadline is none.
func (s *sock) read(b *buffer, deadline time.Time, h halter) error {
	s.reading, s.readNow = b, false
	for {
		if !deadline.IsZero() && (s.armedR.IsZero() || s.armedR.After(deadline)) {
			s.armedR = deadline
			_ = s.conn.SetReadDeadline(deadline)
		}
		// Looked at after arming: who halts or signals moves the deadline after
		// raising the flag, so one of us two sees the other.
		if h.halted() {
			return errHalted
		}
		if s.signal.Load() && s.signal.Swap(false) {
			return errSignal
		}
		if err := s.raw.Read(s.readFn); err == nil {
			return s.took(b)
		} else if !errors.Is(err, os.ErrDeadlineExceeded) {
			return err
		}
		s.armedR = time.Time{}
		if deadline.IsZero() {
			_ = s.conn.SetReadDeadline(time.Time{})
			continue
		}
		if !time.Now().Before(deadline) && !h.halted() {
			// What arrived in time counts, as on nginx: events come before timers.
			if err := s.readReady(b); err != unix.EAGAIN {
				return err
			}
			return errTimeout
		}
	}
}

// readReady adds to b what has arrived and doesn't wait: unix.EAGAIN is nothing.
func (s *sock) readReady(b *buffer) error {
	s.reading, s.readNow = b, true
	for range 3 {
		if err := s.raw.Read(s.readFn); err == nil {
			return s.took(b)
		} else if !errors.Is(err, os.ErrDeadlineExceeded) {
			return err
		}
		// A deadline has passed, or a poke moved it and may do so again.
		s.armedR = time.Time{}
		_ = s.conn.SetReadDeadline(time.Time{})
	}
	return unix.EAGAIN
}

// took is the result of a read call.
func (s *sock) took(b *buffer) error {
	if s.readErr != nil {
		return s.readErr
	}
	if s.readN == 0 {
		return io.EOF
	}
	b.w += s.readN
	s.bytesIn.Add(int64(s.readN))
	return nil
}

func (s *sock) writeOnce(fd uintptr) bool {
	for {
		n, err := unix.Write(int(fd), s.writing)
		switch err {
		case unix.EINTR:
			continue
		case unix.EAGAIN:
			if !s.writeNow {
				s.parked.Store(true)
				if s.onPark != nil {
					s.onPark()
				}
				return false
			}
			n, err = 0, nil
		}
		s.writeN, s.writeErr = max(n, 0), err
		if err == nil {
			s.parked.Store(false)
		}
		s.bytesOut.Add(int64(s.writeN))
		return true
	}
}

// write writes all of p. The limit, real time, is between two writes that made
// progress. It returns errTimeout, errHalted or the socket's error.
func (s *sock) write(p []byte, limit time.Duration, h halter) error {
	n, err := s.writeReady(p)
	p = p[n:]
	for len(p) > 0 && err == nil {
		n, err = s.writeSome(p, time.Now().Add(limit), h)
		p = p[n:]
	}
	return err
}

// writeReady writes what the socket takes now.
func (s *sock) writeReady(p []byte) (int, error) {
	s.writing, s.writeNow = p, true
	for range 3 {
		err := s.raw.Write(s.writeFn)
		if err == nil {
			s.writing = nil
			return s.writeN, s.writeErr
		}
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			return 0, err
		}
		// A deadline of an earlier wait, or a poke; the wait below looks into it.
		s.armedW = time.Time{}
		_ = s.conn.SetWriteDeadline(time.Time{})
	}
	return 0, nil
}

// writeSome waits until the socket takes some of p.
func (s *sock) writeSome(p []byte, deadline time.Time, h halter) (int, error) {
	s.writing, s.writeNow = p, false
	for {
		if s.armedW.IsZero() || s.armedW.After(deadline) {
			s.armedW = deadline
			_ = s.conn.SetWriteDeadline(deadline)
		}
		if h.halted() {
			return 0, errHalted
		}
		if err := s.raw.Write(s.writeFn); err == nil {
			s.writing = nil
			return s.writeN, s.writeErr
		} else if !errors.Is(err, os.ErrDeadlineExceeded) {
			return 0, err
		}
		s.armedW = time.Time{}
		if !time.Now().Before(deadline) && !h.halted() {
			return 0, errTimeout
		}
	}
}
