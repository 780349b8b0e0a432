package backends

import (
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// unixSocket is a connection over a unix socket. There is no RST on one: the other
// side finds ECONNRESET when it was closed with unread data (unix_release_sock). So
// while a reset may come, the last byte that was read stays in the kernel too.
type unixSocket struct {
	*net.UnixConn
	raw syscall.RawConn

	mu      sync.Mutex
	holding bool // the last byte is left in the kernel
	held    bool // there is one that was read already
	aborted bool // it stays when the connection is closed
}

var _ socket = (*unixSocket)(nil)

func newUnixSocket(c *net.UnixConn) (*unixSocket, error) {
	s := &unixSocket{UnixConn: c, holding: true}
	var err error
	if s.raw, err = c.SyscallConn(); err != nil {
		return nil, err
	}
	var failed error
	// A look goes on where the last one ended, so the end of the connection is seen
	// behind the byte that is left.
	err = s.raw.Control(func(fd uintptr) { failed = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_PEEK_OFF, 0) })
	if err == nil {
		err = os.NewSyscallError("setsockopt", failed)
	}
	return s, err
}

// Read reads like net.Conn's.
func (s *unixSocket) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	n, failed := 0, error(nil)
	err := s.raw.Read(func(fd uintptr) bool {
		n, failed = s.take(int(fd), p)
		return failed != unix.EAGAIN
	})
	switch {
	case err != nil:
		return 0, err
	case failed != nil:
		return 0, &net.OpError{Op: "read", Net: "unix", Err: os.NewSyscallError("recvfrom", failed)}
	case n == 0:
		return 0, io.EOF
	}
	return n, nil
}

// take reads what is there and takes it out of the kernel, but for the last byte
// while that is held.
func (s *unixSocket) take(fd int, p []byte) (int, error) {
	n, err := receive(fd, p, unix.MSG_PEEK)
	if n <= 0 || err != nil {
		return 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	there := n
	if s.held {
		there++
	}
	if s.held = s.holding; s.held {
		there--
	}
	return n, drop(fd, there)
}

// hold keeps the last byte from now on.
func (s *unixSocket) hold() {
	s.mu.Lock()
	s.holding = true
	s.mu.Unlock()
}

// release lets go of it.
func (s *unixSocket) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.holding = false
	if s.held {
		s.held = false
		s.raw.Control(func(fd uintptr) { drop(int(fd), 1) })
	}
}

// abort lets unread data stay, also the byte that is held.
func (s *unixSocket) abort() {
	s.mu.Lock()
	s.aborted = true
	s.mu.Unlock()
}

// Close ends the connection as the kernel does for a process that went away.
func (s *unixSocket) Close() error {
	s.mu.Lock()
	aborted := s.aborted
	s.mu.Unlock()
	if !aborted {
		s.release()
	}
	return s.UnixConn.Close()
}

// reset closes. Without a byte that was left it waits for one: a reset at accept
// comes with what the other side sends first.
func (s *unixSocket) reset(done <-chan struct{}) {
	s.abort()
	s.mu.Lock()
	held := s.held
	s.mu.Unlock()
	if !held {
		ended := make(chan struct{})
		defer close(ended)
		go func() {
			select {
			case <-done:
				s.SetReadDeadline(past)
			case <-ended:
			}
		}()
		s.SetReadDeadline(time.Now().Add(rstPatience))
		s.raw.Read(func(fd uintptr) bool {
			_, err := receive(int(fd), make([]byte, 1), unix.MSG_PEEK)
			return err != unix.EAGAIN
		})
	}
	s.Close()
}

// drop takes n bytes, which are there, out of the kernel.
func drop(fd, n int) error {
	var waste [4 << 10]byte
	for n > 0 {
		k, err := receive(fd, waste[:min(n, len(waste))], 0)
		if err != nil {
			return err
		}
		n -= k
	}
	return nil
}

func receive(fd int, p []byte, flags int) (int, error) {
	for {
		n, _, err := unix.Recvfrom(fd, p, flags|unix.MSG_DONTWAIT)
		if err != unix.EINTR {
			return n, err
		}
	}
}
