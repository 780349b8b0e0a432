package live

import (
	"bufio"
	"errors"
	"io"
	"net"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/nolive/nolive/harness/scenario"
)

// conn is a client's connection to the proxy.
type conn struct {
	home *sync.Pool
	tcp  *net.TCPConn
	// stream is what goes over it, in plain or not.
	stream net.Conn
	// from is the address that it was bound to, zero for none.
	from scenario.Address
	in   input
	br   *bufio.Reader
	// scratch holds a request on its way out and bodies on their way to nowhere.
	scratch []byte
}

// maxHead is how many bytes of one answer may come before its header is over.
const maxHead = 1 << 20

var errHead = errors.New("header over 1 MiB")

// input reads from the connection and remembers what the HTTP parser hides:
// whether anything came at all, and the first error as the kernel told it.
type input struct {
	stream net.Conn
	// n counts the bytes of the present answer; limit bounds them while its
	// header is read, 0 is no bound.
	n, limit int64
	err      error
}

func (in *input) Read(p []byte) (int, error) {
	if in.err != nil {
		return 0, in.err
	}
	if in.limit > 0 && in.n >= in.limit {
		return 0, errHead
	}
	n, err := in.stream.Read(p)
	in.n += int64(n)
	in.err = err
	return n, err
}

// newConns keeps the buffers of closed connections for new ones.
func newConns() *sync.Pool {
	return &sync.Pool{New: func() any {
		c := &conn{scratch: make([]byte, 16<<10)}
		c.br = bufio.NewReaderSize(&c.in, 4<<10)
		return c
	}}
}

func newConn(home *sync.Pool, tcp *net.TCPConn, stream net.Conn) *conn {
	c := home.Get().(*conn)
	c.home, c.tcp, c.stream, c.in = home, tcp, stream, input{stream: stream}
	c.br.Reset(&c.in)
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
	c.tcp, c.stream, c.in = nil, nil, input{err: io.EOF}
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
