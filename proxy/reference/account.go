package reference

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/nolive/nolive/proxy/nginxconf"
	"github.com/nolive/nolive/proxy/variable"
	"github.com/nolive/nolive/proxy/wire"
)

// account is what a journal is told of one connection and the request that is
// going on on it. It is there only where there is a journal.
type account struct {
	client   *client
	peer     variable.Address
	rq       variable.Request
	rs       variable.Response
	server   *nginxconf.Server
	location *nginxconf.Location

	connected time.Time
	// began is when the request's first byte was read; begun is false before.
	began time.Time
	begun bool
	// base is what had been sent on the connection before this request.
	base  int64
	head  []byte // of the response, as sent
	asked []byte // head of the request

	attempts []variable.Attempt
	started  time.Time // of the last attempt
	up       *upconn   // of the last attempt, nil while there is none
	wrote    int64     // bytes that it had carried before, both ways
	read     int64
	headOf   *nginxconf.Pass // whose head it was, nil for nginx's own
	headSize int             // of the backend's response; -1 while it isn't passed on
	backend  []byte          // its head
	upstream string          // the last attempt's peer in error lines
	uri      string          // the target as the backend gets it, behind upstream
	cause    cause
	settled  bool // rs is final
	broken   bool // the response didn't go out whole
	keep     bool // the client asked to keep the connection
	gone     bool // the client left
	id       string
	counted  int64 // how much of the body rq.Length has
}

var _ variable.Facts = (*account)(nil)

// newAccount opens the account of a connection.
func newAccount(c *client, n uint64) *account {
	a := &account{client: c, connected: time.Now()}
	a.peer = c.self
	a.rq.Client = a.peer
	a.rq.Server = addressOf(c.sock.conn.LocalAddr())
	a.rq.Connection = n
	a.rq.Process = c.proxy.process
	a.rq.ID = a.requestID
	return a
}

// addressOf is a socket's address for variables.
func addressOf(at net.Addr) variable.Address {
	switch at := at.(type) {
	case *net.TCPAddr:
		ip := at.AddrPort().Addr().Unmap()
		return variable.Address{IP: ip.String(), Port: strconv.Itoa(at.Port), Binary: ip.AsSlice()}
	case *net.UnixAddr:
		if at != nil && at.Name != "" && at.Name != "@" {
			return variable.Address{IP: "unix:" + at.Name}
		}
	}
	return variable.Address{}
}

// open begins the account of a request of which the first byte has arrived.
func (a *account) open(pipelined bool) {
	c := a.client
	a.rq = variable.Request{
		Client: a.peer, Server: a.rq.Server, Connection: a.rq.Connection, Process: a.rq.Process, ID: a.rq.ID,
		Requests: c.served + 1, Pipelined: pipelined,
	}
	a.rs = variable.Response{}
	a.began, a.begun = time.Now(), true
	a.base = c.sock.bytesOut.Load()
	a.server, a.location = c.router.fallback, nil
	c.route.fixed = false
	c.route.way.Wait(c.proxy.config, a.server, a)
	a.head, a.backend, a.attempts = a.head[:0], a.backend[:0], nil
	a.up, a.upstream, a.uri, a.id = nil, "", "", ""
	a.headSize, a.cause, a.settled, a.broken, a.gone = -1, cause{}, false, false, false
}

// unread closes the account of a request that ended before its head did: nginx
// logs 400, or 408 when time ran out, and sends nothing. Where no byte came there
// was no request.
func (a *account) unread(err error) {
	c := a.client
	if !a.begun {
		a.idle(err)
		return
	}
	b := c.in.unread()
	if whole := bytes.LastIndexByte(b, '\n') + 1; whole > 0 {
		b = b[:whole] // nginx counts a line when it is there
	}
	a.request(b)
	a.broken = true
	status, text := 400, "client prematurely closed connection"
	switch err {
	case errHalted:
		return
	case errTimeout:
		status, text = 408, "client timed out (110: Connection timed out)"
	}
	action := "reading client request headers"
	if _, rest := wire.CutLine(c.in.unread()); rest == nil {
		action = "reading client request line"
	}
	a.note(nginxconf.Info, text, action)
	a.answeredWith(status)
}

// idle notes the end of a connection on which nothing was going on.
func (a *account) idle(err error) {
	switch {
	case err == errTimeout && a.client.served == 0:
		a.note(nginxconf.Info, "client timed out (110: Connection timed out)", "waiting for request")
	case err == errTimeout, err == errHalted:
	case a.client.served == 0:
		a.note(nginxconf.Info, "client closed connection", "waiting for request")
	default:
		a.client.proxy.journal.Note(a.logs(), nginxconf.Info, a.rq.Connection, "client "+a.rq.Client.IP+" closed keepalive connection")
	}
}

// request fills in what the head says, or the part of one that was read. It keeps
// a copy: the buffer goes back before the request is over.
func (a *account) request(head []byte) {
	a.asked = append(a.asked[:0], head...)
	line, _ := wire.CutLine(a.asked)
	a.rq.Line = string(line)
	rq := request{terms: a.client.rq.terms}
	if rq.requestLine(line) != 0 && rq.target == nil {
		target, version, _ := bytes.Cut(bytes.TrimLeft(line[len(rq.method):], " "), []byte(" "))
		a.rq.NoProtocol = bytes.HasPrefix(target, []byte("/")) && bytes.HasPrefix(version, []byte("HTTP/"))
		return // and none of its bytes count
	}
	a.keep = a.client.rq.keepAlive
	a.rq.Length = int64(len(head))
	a.rq.Header = headOf(a.asked, a.clientLine)
	a.rq.Protocol = "HTTP/1.0"
	switch {
	case rq.http11:
		a.rq.Protocol = "HTTP/1.1"
	case rq.nine:
		a.rq.Protocol = ""
	}
	shape := nginxconf.Request(rq.method, string(rq.target))
	a.rq.Method, a.rq.Target, a.rq.Path, a.rq.Args = shape.Method, shape.Target, shape.Path, shape.Args
	host := a.client.rq.host
	if host == nil {
		// Of a head that is broken off, what there is.
		b, _ := variable.Value("http_host", &a.rq)
		host = []byte(b)
	}
	a.rq.Host, _ = nginxconf.HostOf(a.client.rq.terms.version, string(host))
}

// route notes who answers; a nil location is the server's own level.
func (a *account) route(s *nginxconf.Server, l *nginxconf.Location) {
	a.server, a.location = s, l
}

// pass notes that the request is passed on. Between the attempts of one pass and
// those of another lies a redirect.
func (a *account) pass(uri string) {
	a.uri = uri
	if len(a.attempts) > 0 {
		a.attempts = append(a.attempts, variable.Attempt{})
	}
}

// body notes the request's body, once it was read.
func (a *account) body() {
	c := a.client
	a.rq.Length += c.body.raw
	a.counted = c.body.raw
	if c.rq.chunked && c.body.rest == nil {
		a.rq.ContentLength = c.body.size
	}
	if c.body.rest == nil && c.body.file == nil && c.body.n > 0 {
		a.rq.Body = append([]byte(nil), c.body.mem[:c.body.n]...)
	}
}

// bodyOver notes the end of a body that was passed on as it came.
func (a *account) bodyOver() {
	c := a.client
	a.rq.Length += c.body.raw - a.counted
	if c.rq.chunked && c.body.rest != nil && c.body.rest.done {
		a.rq.ContentLength = c.body.size
	}
}

// start begins an attempt.
func (a *account) start(peer string) {
	a.started, a.up, a.upstream = time.Now(), nil, peer
	if strings.HasPrefix(peer, "unix:") {
		a.upstream += ":"
	}
	a.backend, a.headSize, a.cause = a.backend[:0], -1, cause{}
	a.attempts = append(a.attempts, variable.Attempt{Peer: peer, Connect: variable.Never, Header: variable.Never, Response: variable.Never})
}

// noLive is the record of a request for which there was no peer.
func (a *account) noLive(upstream string) {
	a.upstream, a.cause, a.up = upstream, cause{}, nil
	a.attempts = append(a.attempts, variable.Attempt{Peer: upstream, Status: 502, Connect: variable.Never, Header: variable.Never})
}

func (a *account) last() *variable.Attempt { return &a.attempts[len(a.attempts)-1] }

// connectedTo notes that the attempt has its connection.
func (a *account) connectedTo(up *upconn) {
	a.up, a.wrote, a.read = up, up.sock.bytesOut.Load(), up.sock.bytesIn.Load()
	a.last().Connect = a.since(a.started)
}

// answered notes that the backend's head is whole.
func (a *account) answered(status int, head []byte) {
	a.last().Header = a.since(a.started)
	a.last().Status = status
	a.backend = append(a.backend[:0], head...)
}

// end ends an attempt. What was read of a body counts only where it was passed on.
func (a *account) end(status int) {
	at := a.last()
	at.Status = status
	at.Response = a.since(a.started)
	if a.up == nil {
		return
	}
	at.Sent = a.up.sock.bytesOut.Load() - a.wrote
	at.Received = a.up.sock.bytesIn.Load() - a.read
	if a.headSize >= 0 {
		at.Length = at.Received - int64(a.headSize)
	}
}

// sentHead notes the head of the client's response: of a backend's, or with nil of
// one of nginx's own.
func (a *account) sentHead(head []byte, of *nginxconf.Pass) {
	a.head, a.headOf = append(a.head[:0], head...), of
}

// Request is what the client sent.
func (a *account) Request() *variable.Request { return &a.rq }

// Response is what became of it so far.
func (a *account) Response() *variable.Response {
	if !a.settled {
		c := a.client
		a.rs.Now = time.Now()
		a.rs.Elapsed, a.rs.Connected = a.since(a.began), a.since(a.connected)
		a.rs.Sent, a.rs.Head = c.sock.bytesOut.Load()-a.base, int64(len(a.head))
		a.rs.Header, a.rs.Upstream = headOf(a.head, a.sentLine), withEmpty(a.kept(headOf(a.backend, wire.BackendLine)))
		a.rs.Attempts = a.attempts
	}
	return &a.rs
}

// answeredWith notes the end of a request. Where nginx waits for what the client
// still sends, it logs when that is over.
func (a *account) answeredWith(status int) {
	a.rs.Status = status
	if !a.client.logsLate {
		a.over()
	}
}

// over closes the account of the request and tells the journal.
func (a *account) over() {
	if !a.begun {
		return
	}
	a.rs.Complete = !a.broken
	a.Response()
	a.rs.Header = a.atTheEnd(a.rs.Header)
	a.settled, a.begun = true, false
	a.client.proxy.journal.Done(a.logs(), a)
}

// requestID draws $request_id.
func (a *account) requestID() string {
	if a.id == "" {
		var b [16]byte
		_, _ = rand.Read(b[:])
		a.id = fmt.Sprintf("%x", b)
	}
	return a.id
}
