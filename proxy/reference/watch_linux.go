package reference

import (
	"os"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// watcher is how nginx notices a client that left while a backend works, and an
// idle backend connection that died: epoll's RDHUP, edge triggered, on sockets
// nobody reads. A connection costs one system call in its life, a request none.
// One goroutine serves the whole proxy.
type watcher struct {
	file *os.File
	raw  syscall.RawConn
	epfd int
	done chan struct{}

	mu      sync.Mutex
	closed  bool
	next    uint64
	watched map[uint64]stirred
	events  [128]unix.EpollEvent
}

func newWatcher() (*watcher, error) {
	fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("epoll_create1", err)
	}
	// Non-blocking, so that os.NewFile hands it to the runtime's own poller and
	// waiting takes a goroutine, not a thread.
	if err := unix.SetNonblock(fd, true); err != nil {
		_ = unix.Close(fd)
		return nil, os.NewSyscallError("fcntl", err)
	}
	w := &watcher{
		file: os.NewFile(uintptr(fd), "epoll"), epfd: fd,
		done: make(chan struct{}), watched: make(map[uint64]stirred),
	}
	if w.raw, err = w.file.SyscallConn(); err != nil {
		_ = w.file.Close()
		return nil, err
	}
	go w.run()
	return w, nil
}

// run handles events as they come, until close.
func (w *watcher) run() {
	defer close(w.done)
	for w.raw.Read(func(uintptr) bool { return w.drain() > 0 }) == nil {
	}
}

func (w *watcher) close() {
	w.mu.Lock()
	w.closed = true // the descriptor's number may soon be another's
	w.mu.Unlock()
	_ = w.file.Close()
	<-w.done
}

// drain handles the events that are there now. Called before each pick, it
// makes sure that a FIN that arrived before the request is seen before it, as
// in nginx's event loop.
func (w *watcher) drain() (handled int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for !w.closed {
		n, _ := unix.EpollWait(w.epfd, w.events[:], 0)
		for i := range max(n, 0) {
			e := &w.events[i]
			key := uint64(uint32(e.Fd)) | uint64(uint32(e.Pad))<<32
			s, ok := w.watched[key]
			if !ok {
				continue // forgotten since; its descriptor may be another's by now
			}
			what := hangup
			if e.Events&(unix.EPOLLRDHUP|unix.EPOLLHUP|unix.EPOLLERR) == 0 {
				what = incoming
			}
			if s.stir(what) {
				delete(w.watched, key)
			}
		}
		handled += max(n, 0)
		if n < len(w.events) {
			return handled
		}
	}
	return handled
}

// interest is what a connection is watched for.
type interest uint32

const (
	hangups  interest = unix.EPOLLRDHUP | unix.EPOLLET
	anything interest = unix.EPOLLRDHUP | unix.EPOLLET | unix.EPOLLIN
)

// add watches a descriptor; a hang-up that has happened already is told too.
// The key names it; 0 is a failure, which only makes deaths go unnoticed.
func (w *watcher) add(fd int, s stirred, wanted interest) (key uint64) {
	w.mu.Lock()
	w.next++
	key = w.next
	w.watched[key] = s
	closed := w.closed
	w.mu.Unlock()
	if closed || unix.EpollCtl(w.epfd, unix.EPOLL_CTL_ADD, fd, epollEvent(key, wanted)) != nil {
		w.forget(key)
		return 0
	}
	return key
}

// change watches for something else from now on.
func (w *watcher) change(fd int, key uint64, wanted interest) {
	_ = unix.EpollCtl(w.epfd, unix.EPOLL_CTL_MOD, fd, epollEvent(key, wanted))
}

// forget ends the watch; closing the descriptor takes it out of the kernel's list.
func (w *watcher) forget(key uint64) {
	if key == 0 {
		return
	}
	w.mu.Lock()
	delete(w.watched, key)
	w.mu.Unlock()
}

func epollEvent(key uint64, wanted interest) *unix.EpollEvent {
	return &unix.EpollEvent{Events: uint32(wanted), Fd: int32(uint32(key)), Pad: int32(uint32(key >> 32))}
}
