package backends

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// socketFile is a unix socket in all its states. Its file is there all the time:
// while nobody listens on it, the kernel refuses (ECONNREFUSED).
type socketFile struct {
	path string
	// ln is nil while connects are refused.
	ln *net.UnixListener
	// queue is the length of the accept queue.
	queue int
	// broom removes the file, and the folder if that is ours; nil when it is somebody
	// else's to remove.
	broom *broom
}

var _ gate = (*socketFile)(nil)

// socketName is the file's in a folder of our own, socketFolder how that begins.
const (
	socketName   = "b.sock"
	socketFolder = "nolive-sock-"
)

// errAnswered: a connect over a unix socket is no packet that could be lost.
var errAnswered = errors.New("blackhole: connects to a unix socket are always answered")

// reserveFile makes the file. One that a killed program left is taken over.
func reserveFile(at place, queue int) (gate, error) {
	s, folder := &socketFile{path: at.path, queue: queue}, ""
	if at.path == "" || strings.HasSuffix(at.path, "/") {
		var err error
		if folder, err = os.MkdirTemp(at.path, socketFolder); err != nil {
			return nil, err
		}
		s.path = filepath.Join(folder, socketName)
		// A proxy may be another user's.
		if err = os.Chmod(folder, 0o755); err == nil && len(s.path) > longestPath {
			err = fmt.Errorf("%s: %w for a unix socket, which may have %d bytes; TMPDIR says where it is to be", s.path, unix.ENAMETOOLONG, longestPath)
		}
		if err != nil {
			os.Remove(folder)
			return nil, err
		}
	}
	if err := free(s.path); err != nil {
		return nil, err
	}
	err := s.touch()
	if err == nil && !at.lent {
		s.broom, err = newBroom(s.path, folder)
	}
	if err != nil {
		os.Remove(s.path)
		if folder != "" {
			os.Remove(folder)
		}
		return nil, err
	}
	return s, nil
}

// free says whether a file is there that must not be taken.
func free(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode().Type() != fs.ModeSocket:
		return &fs.PathError{Op: "listen", Path: path, Err: unix.EEXIST}
	}
	c, err := net.DialTimeout("unix", path, time.Second)
	switch {
	case err == nil:
		c.Close()
		return os.NewSyscallError("bind", unix.EADDRINUSE)
	case errors.Is(err, unix.ECONNREFUSED):
		return nil
	case errors.Is(err, unix.EAGAIN): // its accept queue is full
		return os.NewSyscallError("bind", unix.EADDRINUSE)
	}
	return err
}

// next is the name under which a new file is made before it takes the place of the
// one before.
func (s *socketFile) next() string { return s.path + "~" }

// touch makes the file of a socket that nobody listens on.
func (s *socketFile) touch() error {
	syscall.ForkLock.RLock()
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err == nil {
		unix.CloseOnExec(fd)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return os.NewSyscallError("socket", err)
	}
	defer unix.Close(fd)
	s.clear()
	if err := unix.Bind(fd, &unix.SockaddrUnix{Name: s.next()}); err != nil {
		return os.NewSyscallError("bind", err)
	}
	return s.replace()
}

// replace puts the new file, which has to be a socket's, in the place of the one
// before. So no connect ever finds none.
func (s *socketFile) replace() error {
	err := os.Chmod(s.next(), 0o666) // as nginx does with its own
	if err == nil {
		err = os.Rename(s.next(), s.path)
	}
	if err != nil {
		os.Remove(s.next())
	}
	return err
}

// clear removes what a killed program was about to rename.
func (s *socketFile) clear() {
	if info, err := os.Lstat(s.next()); err == nil && info.Mode().Type() == fs.ModeSocket {
		os.Remove(s.next())
	}
}

func (s *socketFile) address() string { return unixPrefix + s.path }

func (s *socketFile) listen() error {
	if s.ln != nil {
		return nil
	}
	s.clear()
	ln, err := net.ListenUnix("unix", &net.UnixAddr{Name: s.next(), Net: "unix"})
	if err != nil {
		return err
	}
	ln.SetUnlinkOnClose(false)
	if s.queue > 0 {
		err = backlog(ln, s.queue)
	}
	if err == nil {
		err = s.replace()
	}
	if err != nil {
		ln.Close()
		return err
	}
	s.ln = ln
	return nil
}

// refuse closes the listener; the kernel resets what is queued, and the file stays.
func (s *socketFile) refuse() {
	if s.ln != nil {
		shut(s.ln)
		s.ln = nil
	}
}

// blackhole is what rules for a unix socket can't ask for.
func (s *socketFile) blackhole() error { return errAnswered }

func (s *socketFile) accept() (socket, error) {
	c, err := s.ln.AcceptUnix()
	if err != nil {
		return nil, err
	}
	out, err := newUnixSocket(c)
	if err != nil {
		c.Close()
		return nil, err
	}
	return out, nil
}

func (s *socketFile) until(t time.Time) { s.ln.SetDeadline(t) }

// close removes the file.
func (s *socketFile) close() {
	s.refuse()
	if s.broom != nil {
		s.broom.sweep()
	}
}
