package backends

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"math"
	"net"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/event"
)

// conn is one connection to the backend and the exchanges on it.
type conn struct {
	s      *Server
	wire   wire
	cancel context.CancelFunc
	*buffers

	// number is the connection's on the backend, exchange the request's on the
	// connection, both from 1.
	number, exchange int
	req              *http.Request
	// keep is how long the connection is kept after the last exchange, which was
	// over at over; nil for ever.
	keep *fault.Keep
	over time.Duration
	// to is where responses go: the wire, or TLS on top of it.
	to  io.Writer
	tls *tls.Conn // nil without
	// refused is the fault by which there is no room for the connection, nil for none.
	refused *fault.Fault
	// left is how much of the request's body the script hasn't read, below 0 when
	// its length isn't known.
	left int64
	// unread is true while something is taken from the kernel, to see the connection's
	// end or with a request's head, that the script hasn't read: as far as it goes, the
	// kernel has it still.
	unread atomic.Bool
	// holds is true while the script may reset the connection.
	holds bool
	// queued is true while the connection passes for one that isn't accepted yet.
	queued atomic.Bool
	// counted is closed once the first request has its number, or nothing came.
	counted chan struct{}
	once    sync.Once
}

// count lets the next connection of a thaw in.
func (c *conn) count() { c.once.Do(func() { close(c.counted) }) }

// buffers are what a connection needs while it lasts.
type buffers struct {
	in  *bufio.Reader
	out []byte
}

const (
	// maxHead bounds a request's head.
	maxHead = 1 << 20
	// maxWrite is the most that is written at once.
	maxWrite = 64 << 10
)

func newBuffers() *buffers { return &buffers{in: bufio.NewReader(nil), out: make([]byte, 0, 1<<10)} }

// serve carries out what the rules say until the connection ends.
func (c *conn) serve() {
	defer c.s.forget(c)
	defer c.count()
	c.buffers = c.s.buffers.Get().(*buffers)
	plain := c.in
	plain.Reset(&c.wire)
	defer func() {
		plain.Reset(nil)
		c.in = plain // TLS has one of its own
		c.s.buffers.Put(c.buffers)
	}()
	if !c.wire.waited() {
		return
	}
	at := c.s.now()
	switch f := c.pickAtAccept(at); {
	case f == nil:
	case f.Limit != nil:
		c.end(f.Limit.Full)
		return
	case f.AtAccept != 0:
		c.cutAtAccept(f, at)
		return
	default:
		c.queued.Store(true)
		if _, ok := c.sleep(c.s.in.Load().set.turn(f, at)); !ok {
			return
		}
		c.queued.Store(false)
	}
	if c.to = &c.wire; c.s.opts.Certificates != nil && !c.handshake(at) {
		return
	}
	c.over = c.s.now()
	for c.serveOne() {
	}
}

// serveOne reads a request and plays its script; it says whether the
// connection goes on.
func (c *conn) serveOne() bool {
	c.wire.budget = maxHead
	c.wire.conn.hold()
	if !c.idle() {
		return false
	}
	req, err := http.ReadRequest(c.in)
	c.wire.budget = 0
	if !c.wire.waited() {
		return false
	}
	if err != nil {
		c.refuseHead(err)
		return false
	}
	at := c.s.now()
	c.req, c.left = req, req.ContentLength
	c.ahead()
	c.exchange++
	id := req.Header.Get(event.RequestHeader)
	request, _ := event.ParseRequest(id) // one that isn't ours belongs to no request
	x, number := c.s.countRequest()
	c.count()
	sc, rule := c.pick(x, id, number, at)
	c.s.opts.Sink.Emit(event.Event{
		At: at, Kind: event.BackendGot, Request: request, Peer: c.s.opts.Name, Cached: c.exchange > 1, Detail: sc.Name,
	})
	c.s.opts.Log.Note(Entry{At: at, What: "request", Version: x.version, Rule: rule, Fault: sc.Name,
		Connection: c.number, Request: number, Exchange: c.exchange, Method: req.Method, Path: req.RequestURI, ID: id})
	c.s.opts.Board.note(c.s.opts.Name)
	if c.holds = sc.Resets() || c.keep != nil && c.keep.End == fault.Reset; !c.holds && c.left == 0 {
		c.wire.conn.release()
	}
	if !c.play(sc, at) {
		return false
	}
	c.over = c.s.now()
	if req.Close {
		c.fin()
		return false
	}
	return c.readBody(math.MaxInt64) == nil // what the script left of it
}

// pickAtAccept chooses what happens to the connection before anything is read;
// nil for nothing.
func (c *conn) pickAtAccept(at time.Duration) *fault.Fault {
	x := c.s.in.Load().set
	var f *fault.Fault
	if f = c.refused; f == nil && len(x.rules) > 0 {
		f = x.rules.PickAtAccept(&fault.Exchange{
			At: at - x.since, Connection: max(c.number-x.connections, 0),
			Draw: func(rule int) float64 {
				return fault.DrawConnection(c.s.opts.Seed, c.s.opts.Name, rule, c.number)
			},
		})
	}
	e := Entry{At: at, What: "connection", Version: x.version, Connection: c.number}
	if f != nil {
		e.Rule, e.Fault = x.count(f), f.Name()
		if f.AtAccept != 0 || f.Limit != nil {
			c.tellCut(at, e.Fault)
		}
	}
	c.s.opts.Log.Note(e)
	return f
}

// pick chooses, from a set of rules, the script for the request and how long the
// connection is kept, and counts the rule.
func (c *conn) pick(x *set, id string, number int, at time.Duration) (sc *fault.Script, rule int) {
	if c.keep = nil; len(x.rules) == 0 {
		f := x.rules.Pick(nil)
		return f.Script.For(&fault.Exchange{Method: c.req.Method}), x.count(f)
	}
	if id == "" {
		id = "request " + strconv.Itoa(number) // or all of them would draw the same
	}
	e := fault.Exchange{
		Method: c.req.Method, Path: c.req.RequestURI, Header: c.header, Body: c.req.ContentLength, At: at - x.since,
		Request: number - x.requests, Connection: max(c.number-x.connections, 0), Exchange: c.exchange,
		Draw: func(rule int) float64 {
			return fault.DrawRequest(c.s.opts.Seed, c.s.opts.Name, rule, id)
		},
	}
	e.Length = func(step int) float64 { return fault.DrawLength(c.s.opts.Seed, c.s.opts.Name, step, id) }
	rule = x.count(x.rules.Pick(&e))
	sc, c.keep = x.answer(&e, c.s.in.Load().thaw)
	return sc, rule
}

// header is a header's value; net/http keeps Host apart.
func (c *conn) header(name string) string {
	if http.CanonicalHeaderKey(name) == "Host" {
		return c.req.Host
	}
	return c.req.Header.Get(name)
}

// refuseHead ends a connection on which no whole request came. Only one that
// said something wrong is told so.
func (c *conn) refuseHead(err error) {
	var network *net.OpError
	if err == io.EOF || err == io.ErrUnexpectedEOF || errors.Is(err, net.ErrClosed) || errors.As(err, &network) {
		return
	}
	c.to.Write([]byte("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"))
	c.fin()
}

// ahead notes whether a part of the request's body was taken from the kernel and isn't
// read yet.
func (c *conn) ahead() { c.unread.Store(c.left != 0 && c.in.Buffered() > 0) }

// readBody reads n bytes more of the request's body, or what is left.
func (c *conn) readBody(n int64) error {
	if c.req.Body == http.NoBody {
		return nil
	}
	defer c.ahead()
	buf := c.out[:cap(c.out)]
	for n > 0 {
		k, err := c.req.Body.Read(buf[:min(int64(len(buf)), n)])
		c.left -= int64(k)
		switch n -= int64(k); {
		case err == io.EOF:
			if c.left = 0; !c.holds {
				c.wire.conn.release()
			}
			return nil
		case err != nil:
			return err
		}
	}
	return nil
}

// kill ends the connection from outside, as the kernel does for a process that
// went away: FIN, or RST when there is unread data or it wasn't accepted yet.
func (c *conn) kill() {
	if c.unread.Load() || c.queued.Load() {
		c.wire.conn.abort()
	}
	c.cancel()
	c.wire.conn.Close()
}
