//go:build !linux

package reference

import (
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// pollEvery is how soon a client that left is noticed where there is no epoll.
const pollEvery = 5 * time.Millisecond

// watcher looks at its connections every few milliseconds. Unlike epoll's RDHUP
// it can't see a FIN behind data that nobody has read: a client that pipelines
// and leaves is noticed late.
type watcher struct {
	quit chan struct{}
	done chan struct{}

	mu      sync.Mutex
	next    uint64
	watched map[uint64]*watch
}

type watch struct {
	fd     int
	s      stirred
	wanted interest
}

func newWatcher() (*watcher, error) {
	w := &watcher{quit: make(chan struct{}), done: make(chan struct{}), watched: make(map[uint64]*watch)}
	go w.run()
	return w, nil
}

func (w *watcher) run() {
	defer close(w.done)
	t := time.NewTicker(pollEvery)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			w.drain()
		case <-w.quit:
			return
		}
	}
}

func (w *watcher) close() {
	close(w.quit)
	<-w.done
}

// drain looks at every connection once.
func (w *watcher) drain() (handled int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var b [1]byte
	for key, x := range w.watched {
		n, _, err := unix.Recvfrom(x.fd, b[:], unix.MSG_PEEK|unix.MSG_DONTWAIT)
		what := hangup
		switch {
		case err == unix.EAGAIN || err == unix.EINTR:
			continue
		case err == nil && n > 0:
			if x.wanted == hangups {
				continue
			}
			what = incoming
		}
		handled++
		if x.s.stir(what) {
			delete(w.watched, key)
		}
	}
	return handled
}

// interest is what a connection is watched for.
type interest uint8

const (
	hangups interest = iota
	anything
)

// add watches a descriptor. The key names it.
func (w *watcher) add(fd int, s stirred, wanted interest) (key uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.next++
	w.watched[w.next] = &watch{fd, s, wanted}
	return w.next
}

// change watches for something else from now on; here data on a connection in
// use is told of again and again, which its owner bears.
func (w *watcher) change(int, uint64, interest) {}

// forget ends the watch; it must come before the descriptor is closed.
func (w *watcher) forget(key uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.watched, key)
}
