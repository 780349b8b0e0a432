package reference

import (
	"io"
	"os"
	"sync/atomic"
	"time"
)

// sender sends what of a request the socket didn't take at once, beside the
// goroutine that waits for the response: a backend may answer before it has
// read everything, and that answer must not be lost.
type sender struct {
	up    *upconn
	limit time.Duration // proxy_send_timeout, real time
	body  *upload       // what follows as it comes, nil for nothing
	quit  atomic.Bool
	done  chan struct{}
	over  atomic.Bool

	// Set before over:
	err error
	at  time.Time // when the whole request was sent, or sending failed
}

var _ halter = (*sender)(nil)

func (s *sender) halted() bool { return s.quit.Load() }

// send starts sending rest, then the file, then a body that still comes, and wakes
// the reader when it is done.
func send(up *upconn, rest []byte, file *os.File, body *upload, limit time.Duration) *sender {
	s := &sender{up: up, limit: limit, body: body, done: make(chan struct{})}
	go func() {
		s.err = s.run(rest, file)
		s.at = time.Now()
		s.over.Store(true)
		up.wake()
		close(s.done) // last, so that no signal comes after stop
	}()
	return s
}

func (s *sender) run(rest []byte, file *os.File) error {
	if err := s.kept(rest, file); err != nil || s.body == nil {
		return err
	}
	return s.body.passOn(s.up, s.limit, s)
}

// kept sends what the proxy has.
func (s *sender) kept(rest []byte, file *os.File) error {
	if err := s.up.write(rest, s.limit, s); err != nil || file == nil {
		return err
	}
	b := lend(streamSize)
	defer giveBack(b)
	for at := int64(0); ; {
		n, err := file.ReadAt(b, at)
		at += int64(n)
		if werr := s.up.write(b[:n], s.limit, s); werr != nil {
			return werr
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// stop ends the sending and waits for it. It says whether the request had been
// sent whole.
func (s *sender) stop() bool {
	s.quit.Store(true)
	if !s.over.Load() {
		s.up.pokeWrite()
		if s.body != nil {
			s.body.c.sock.pokeRead()
		}
	}
	<-s.done
	s.up.signal.Store(false)
	return s.err == nil
}

// finished is true once the sending is over.
func (s *sender) finished() bool { return s.over.Load() }
