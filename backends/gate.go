package backends

import (
	"fmt"
	"net"
	"net/netip"
	"strings"
	"time"
)

// gate is where a backend is reached, in all the states of its door.
type gate interface {
	// address is what a proxy connects to: host:port, or unix:/path.
	address() string
	// listen lets the kernel complete connects and queue them.
	listen() error
	// refuse ends that; the kernel resets what is queued.
	refuse()
	// blackhole leaves connects unanswered.
	blackhole() error
	// accept takes the next connection out of the queue; nil without an error is one
	// that is nobody's.
	accept() (socket, error)
	// until is when accept gives up, with os.ErrDeadlineExceeded.
	until(time.Time)
	// close gives the address up.
	close()
}

// socket is an accepted connection.
type socket interface {
	net.Conn
	CloseWrite() error
	// abort makes the next Close a reset.
	abort()
	// reset closes, so that the other side finds ECONNRESET behind what was written.
	// It gives up waiting for that after a while, or when done is closed.
	reset(done <-chan struct{})
	// hold says that reset may come although all was read, release that it won't
	// before the next hold. A new connection is held.
	hold()
	release()
}

// unixPrefix begins the address of a unix socket, as in nginx's configuration.
const unixPrefix = "unix:"

// longestPath is how long the path of a unix socket may be: sockaddr_un has room
// for 107 bytes, and one more letter is needed while the file is made.
const longestPath = 106

// place is where a backend is to listen.
type place struct {
	// path is a unix socket's file; a folder, or nothing for that of temporary files,
	// is a free name in there. file is true for either.
	path string
	file bool
	// lent is true when somebody else removes the file.
	lent bool
	port netip.AddrPort
}

func parsePlace(s string) (place, error) {
	if path, ok := strings.CutPrefix(s, unixPrefix); ok {
		switch {
		case path != "" && path[0] != '/':
			return place{}, fmt.Errorf("listen: %q is no absolute path", path)
		case len(path) > longestPath:
			return place{}, fmt.Errorf("listen: %q has %d bytes, a unix socket's path has %d at most", path, len(path), longestPath)
		}
		return place{path: path, file: true}, nil
	}
	port, err := netip.ParseAddrPort(s)
	if err != nil {
		return place{}, fmt.Errorf("listen: %q is no IP address with a port, and no unix:/path", s)
	}
	return place{port: port}, nil
}

func (p place) String() string {
	if p.file {
		return unixPrefix + p.path
	}
	return p.port.String()
}

// reserve takes the address; connects are refused there. queue is the length of the
// accept queue to come, 0 for what the system allows.
func (p place) reserve(queue int) (gate, error) {
	if p.file {
		return reserveFile(p, queue)
	}
	out, err := reserve(p.port)
	if err != nil {
		return nil, err
	}
	out.queue = queue
	return out, nil
}
