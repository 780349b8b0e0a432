package live

import (
	"net"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/nolive/nolive/harness/answer"
	"github.com/nolive/nolive/harness/scenario"
)

// conn is a client's connection to the proxy.
type conn struct {
	home *sync.Pool
	tcp  *net.TCPConn
	// stream is what goes over it, in plain or not.
	stream net.Conn
	// from is the address that it was bound to, zero for none.
	from    scenario.Address
	answers *answer.Reader
	// scratch holds a request on its way out and bodies on their way to nowhere.
	scratch []byte
	asked   bool // what was asked last went out
}

// newConns keeps the buffers of closed connections for new ones.
func newConns() *sync.Pool {
	return &sync.Pool{New: func() any {
		return &conn{scratch: make([]byte, 16<<10), answers: answer.NewReader()}
	}}
}

func newConn(home *sync.Pool, tcp *net.TCPConn, stream net.Conn) *conn {
	c := home.Get().(*conn)
	c.home, c.tcp, c.stream = home, tcp, stream
	c.answers.Reset(stream)
	return c
}

// cut ends a connection whose last answer came whole with a RST. A FIN would
// leave its port in TIME_WAIT for a minute, and after some ten thousand requests
// there is no port left for the next run to listen on ("address already in
// use"). The proxy is done with the request and only reads for a next one;
// browsers end idle connections like this, and nginx passes over it
// (ngx_http_keepalive_handler).
func (c *conn) cut() {
	_ = c.tcp.SetLinger(0)
	c.close()
}

// close closes the connection; c must not be used afterwards.
func (c *conn) close() {
	_ = c.tcp.Close()
	c.tcp, c.stream = nil, nil
	c.answers.Reset(nil)
	c.home.Put(c)
}

// alive says whether an idle connection is still as we left it: neither closed
// nor with a byte that nobody asked for.
func (c *conn) alive() bool {
	raw, err := c.tcp.SyscallConn()
	if err != nil {
		return false
	}
	ok := false
	err = raw.Read(func(fd uintptr) bool {
		var b [1]byte
		_, _, err := unix.Recvfrom(int(fd), b[:], unix.MSG_PEEK|unix.MSG_DONTWAIT)
		ok = err == unix.EAGAIN
		return true
	})
	return err == nil && ok
}
