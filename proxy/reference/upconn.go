package reference

import (
	"time"

	"golang.org/x/sys/unix"

	"github.com/nolive/nolive/proxy/upstream"
)

// upconn is a connection to a backend.
type upconn struct {
	sock
	node *node
	// key is the watcher's; 0 until the connection was worth keeping.
	key uint64
	// eager is true while the watcher tells of data too.
	eager bool

	// Under node.mu:
	id       upstream.ConnID
	requests int           // exchanges served
	opened   time.Duration // scenario time of the connect
	isIdle   bool
	parking  bool // about to be idle: data is no response any more
	stirred  bool // FIN or RST was seen, in use or not
	hot      bool // the last pause was short
	stored   time.Time
	until    time.Duration // scenario time at which it has been idle too long
}

var _ stirred = (*upconn)(nil)

// watch has the watcher look after a connection that is about to be idle. It
// must not be called with node.mu held.
func (u *upconn) watch() {
	if u.key != 0 && u.hot {
		return
	}
	u.node.mu.Lock()
	u.parking, u.eager = true, true
	u.node.mu.Unlock()
	if u.key == 0 {
		u.key = u.node.watcher.add(u.fd, u, anything)
	} else {
		u.node.watcher.change(u.fd, u.key, anything)
	}
}

// stir closes an idle connection on which anything happens, without a word and
// without counting (ngx_http_upstream_keepalive_close_handler).
func (u *upconn) stir(what arrived) (forget bool) {
	n := u.node
	n.mu.Lock()
	if what == incoming && (u.isIdle || u.parking) && !pending(u.fd) {
		// The watcher was late: what came was the response, which has been read since.
		n.mu.Unlock()
		return false
	}
	if !u.isIdle {
		// In use: data is the response. A hang-up is for whoever uses it to see;
		// it only must not be stored again.
		if what == hangup || u.parking {
			u.stirred = true
		} else if u.eager {
			u.eager = false
			n.watcher.change(u.fd, u.key, hangups)
		}
		n.mu.Unlock()
		return false
	}
	n.cache.Remove(u.id)
	delete(n.idle, u.id)
	u.isIdle = false
	n.mu.Unlock()
	u.sock.close()
	return true
}

// pending says whether there is anything to read, an end or an error included.
func pending(fd int) bool {
	var b [1]byte
	_, _, err := unix.Recvfrom(fd, b[:], unix.MSG_PEEK|unix.MSG_DONTWAIT)
	return err != unix.EAGAIN
}

// close closes the connection and ends its watch.
func (u *upconn) close() {
	u.node.watcher.forget(u.key)
	u.sock.close()
}
