package reference

import (
	"io"
	"os"
	"sync"
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

	// idle is true while it waits for the client; mu and changed are for who waits
	// for it to rest.
	idle    atomic.Bool
	mu      sync.Mutex
	changed *sync.Cond

	// Set before over:
	err error
	at  time.Time // when the whole request was sent, or sending failed
	// waited is true when it failed after it had waited for room.
	waited bool
}

var _ halter = (*sender)(nil)

func (s *sender) halted() bool { return s.quit.Load() }

// send starts sending rest, then the file, then a body that still comes, and wakes
// the reader when it is done.
func send(up *upconn, rest []byte, file *os.File, body *upload, limit time.Duration) *sender {
	s := &sender{up: up, limit: limit, body: body, done: make(chan struct{})}
	s.changed = sync.NewCond(&s.mu)
	up.parked.Store(false)
	up.onPark = s.tell
	go func() {
		s.err = s.run(rest, file)
		s.at, s.waited = time.Now(), up.parked.Load()
		s.over.Store(true)
		s.tell()
		up.wake()
		close(s.done) // last, so that no signal comes after stop
	}()
	return s
}

func (s *sender) run(rest []byte, file *os.File) error {
	if err := s.kept(rest, file); err != nil || s.body == nil {
		return err
	}
	return s.body.passOn(s)
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

// tell wakes who waits for the sender to rest.
func (s *sender) tell() {
	s.mu.Lock()
	s.changed.Broadcast()
	s.mu.Unlock()
}

// rest waits until nothing can be sent for now: the socket or the client makes it
// wait, or it is over. nginx reads no answer before (ngx_output_chain).
func (s *sender) rest() {
	s.mu.Lock()
	for !s.over.Load() && !s.idle.Load() && !s.up.parked.Load() {
		s.changed.Wait()
	}
	s.mu.Unlock()
}

// waits says that the sender waits for the client, or no longer does.
func (s *sender) waits(yes bool) {
	s.idle.Store(yes)
	if yes {
		s.tell()
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
	s.up.onPark = nil
	s.up.signal.Store(false)
	return s.err == nil
}

// finished is true once the sending is over.
func (s *sender) finished() bool { return s.over.Load() }
