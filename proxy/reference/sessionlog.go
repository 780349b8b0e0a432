package reference

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/nolive/nolive/proxy/nginxconf"
	"github.com/nolive/nolive/proxy/variable"
)

// side is the end of a session that bytes came from.
type side uint8

const (
	fromClient side = iota
	fromUpstream
)

// notSent is an error of the end that the bytes were for.
type notSent struct{ error }

func (e notSent) Unwrap() error { return e.error }

// sessionAccount is what a journal is told of one session
// (ngx_stream_log_error, ngx_stream_proxy_log_error).
type sessionAccount struct {
	s        *session
	rq       variable.Request
	rs       variable.Response
	attempts []variable.Attempt
	started  time.Time
	upstream string
	cause    cause
	// in and out are the bytes from and to either side, first when the backend said
	// something, in nanoseconds since the attempt began.
	in, out [2]atomic.Int64
	first   atomic.Int64
}

var (
	_ chronicler     = (*sessionAccount)(nil)
	_ variable.Facts = (*sessionAccount)(nil)
)

// newSessionAccount opens the account and notes that a client is there
// (ngx_stream_init_connection).
func newSessionAccount(s *session, n uint64) *sessionAccount {
	a := &sessionAccount{s: s}
	a.rq = variable.Request{
		Client: addressOf(s.client.RemoteAddr()), Server: addressOf(s.client.LocalAddr()), Connection: n, Process: s.proxy.process,
	}
	if a.rq.Client.IP == "" {
		a.rq.Client.IP = "unix:"
	}
	client := a.rq.Client.IP
	if _, ok := s.client.RemoteAddr().(*net.TCPAddr); ok {
		client = s.client.RemoteAddr().String()
	}
	to := s.listen.text
	if at := reached(s.client); s.listen.streams[at] != nil {
		to = at.String()
	}
	a.plain(fmt.Sprintf("client %s connected to %s", client, to))
	return a
}

// Request is the client, as far as a request's facts are a session's.
func (a *sessionAccount) Request() *variable.Request { return &a.rq }

// Response is what became of the session.
func (a *sessionAccount) Response() *variable.Response { return &a.rs }

func (a *sessionAccount) last() *variable.Attempt { return &a.attempts[len(a.attempts)-1] }

func (a *sessionAccount) start(peer string) {
	a.started, a.upstream, a.cause = time.Now(), peer, cause{}
	a.first.Store(-1)
	a.attempts = append(a.attempts, variable.Attempt{Peer: peer, Connect: variable.Never, Header: variable.Never, Response: variable.Never})
}

func (a *sessionAccount) noLive(upstream string) {
	a.upstream, a.cause = upstream, cause{}
	a.attempts = append(a.attempts, variable.Attempt{Peer: upstream, Connect: variable.Never, Header: variable.Never})
}

func (a *sessionAccount) end(int) {
	at := a.last()
	at.Response = a.since(a.started)
	if first := a.first.Load(); first >= 0 {
		at.Header = a.s.proxy.clock.Scenario(time.Duration(first))
	}
	at.Received, at.Sent = a.in[fromUpstream].Load(), a.out[fromUpstream].Load()
}

// connected notes that a connection stands (ngx_stream_proxy_init_upstream).
func (a *sessionAccount) connected(up net.Conn) {
	a.last().Connect = a.since(a.started)
	local, peer := up.LocalAddr().String(), a.upstream
	if strings.HasPrefix(peer, "unix:") {
		local = "unix:"
	}
	a.plain(fmt.Sprintf("proxy %s connected to %s", local, peer))
}

// received and sent count what came from a side, and what of it went to the other.
func (a *sessionAccount) received(from side, n int) {
	a.in[from].Add(int64(n))
	if from == fromUpstream {
		a.heard()
	}
}

func (a *sessionAccount) sent(from side, n int) { a.out[1-from].Add(int64(n)) }

// heard notes when the backend sent its first byte, or its end.
func (a *sessionAccount) heard() { a.first.CompareAndSwap(-1, int64(time.Since(a.started))) }

// ends notes why a session ends; ended, once the peer is let go, that it has.
func (a *sessionAccount) ends(from side, err error) {
	if from == fromUpstream && !errors.Is(err, os.ErrDeadlineExceeded) {
		a.heard()
	}
	var late notSent
	switch {
	case errors.As(err, &late):
		level, to := nginxconf.Info, "client"
		if from == fromClient {
			level, to = nginxconf.Error, "upstream"
		}
		a.note(level, "send() failed"+numbered(err), "proxying and sending to "+to)
	case from == fromClient && errors.Is(err, syscall.ECONNRESET):
		a.note(nginxconf.Info, "recv() failed"+numbered(err), "proxying and reading from client")
	case a.s.ctx.Err() == nil && errors.Is(err, os.ErrDeadlineExceeded):
		a.note(nginxconf.Info, "connection timed out (110: Connection timed out)", "proxying connection")
	}
}

func (a *sessionAccount) ended(from side, err error) {
	if err != io.EOF && (!errors.Is(err, syscall.ECONNRESET) || errors.As(err, new(notSent))) {
		return
	}
	who := "client"
	if from == fromUpstream {
		who = "upstream"
	}
	a.plain(who + " disconnected" + a.bytes())
}

// over closes the account.
func (a *sessionAccount) over(status int) {
	a.rs = variable.Response{
		Now: time.Now(), Elapsed: a.since(a.s.began), Status: status, Attempts: a.attempts,
		Sent: a.out[fromClient].Load(), Received: a.in[fromClient].Load(), Complete: true,
	}
	a.s.proxy.journal.Done(a.s.server.Logs, a)
}

// logged notes a line of the model.
func (a *sessionAccount) logged(line string) {
	level, text, action := a.cause.line(line)
	a.note(level, text, action)
}

// note writes a line with all that nginx says of a session.
func (a *sessionAccount) note(level nginxconf.Level, text, action string) {
	text += " while " + action + ", client: " + a.rq.Client.IP + ", server: " + a.s.listen.text
	if a.upstream != "" {
		text += ", upstream: \"" + a.upstream + "\""
	}
	a.s.proxy.journal.Note(a.s.server.Logs, level, a.rq.Connection, text+a.bytes())
}

// plain writes a line with nothing else.
func (a *sessionAccount) plain(text string) {
	a.s.proxy.journal.Note(a.s.server.Logs, nginxconf.Info, a.rq.Connection, text)
}

func (a *sessionAccount) bytes() string {
	return fmt.Sprintf(", bytes from/to client:%d/%d, bytes from/to upstream:%d/%d",
		a.in[fromClient].Load(), a.out[fromClient].Load(), a.in[fromUpstream].Load(), a.out[fromUpstream].Load())
}

func (a *sessionAccount) since(t time.Time) time.Duration {
	return a.s.proxy.clock.Scenario(time.Since(t))
}
