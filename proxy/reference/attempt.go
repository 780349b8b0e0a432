package reference

import (
	"cmp"
	"io"
	"time"

	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/nginxconf"
	"github.com/nolive/nolive/proxy/wire"
)

// attempt is one try of a request on one peer, up to the response header.
type attempt struct {
	c    *client
	pass *nginxconf.Pass
	up   *upconn
	// sender runs while the request isn't sent whole; nil for the usual one that
	// the socket takes at once.
	sender *sender
	// sent is when the request was sent whole: proxy_read_timeout starts.
	sent time.Time
	// broken is true when a write failed: what the backend sent before may still
	// be read.
	broken bool
	// why is what that write said.
	why error
}

// run sends the request and reads the response header into c.rb and c.rs. The
// outcome says how it failed, 0 when there is a whole header; err is errHalted or
// errBody.
func (a *attempt) run() (event.Outcome, error) {
	c := a.c
	c.use(&a.up.sock)
	c.rs.Reset(a.pass.Upstream.Version)
	c.rb.drop()
	c.rb.size = cmp.Or(a.pass.BufferSize, page)
	c.doing.Store(sending)
	rest := c.coming()
	if rest != nil {
		rest.begun = true
		c.unwatch()
	}
	n, err := a.up.writeReady(c.out)
	switch {
	case err != nil:
		a.broken, a.why = true, err
	case n < len(c.out) || c.file != nil || rest != nil:
		a.sender = send(a.up, c.out[n:], c.file, rest, c.proxy.clock.Real(a.pass.SendTimeout))
	default:
		a.sent = time.Now()
	}
	c.doing.Store(awaiting)
	return a.header()
}

// header waits for a whole response header. The limit is for all of it, from
// the moment at which the request was sent whole; while it is being sent there
// is none (ngx_http_upstream_process_header).
func (a *attempt) header() (event.Outcome, error) {
	c := a.c
	deadline := time.Time{}
	limit := func() { deadline = a.sent.Add(c.proxy.clock.Real(a.pass.ReadTimeout)) }
	if !a.sent.IsZero() {
		limit()
	}
	for {
		var err error
		if a.broken {
			err = a.up.readReady(&c.rb)
		} else {
			err = a.up.read(&c.rb, deadline, c)
		}
		switch {
		case err == nil:
			if a.unsent() {
				return event.Reset, nil
			}
		case err == errHalted:
			return 0, err
		case err == errSignal:
			if o := a.sendingOver(); o != 0 {
				return o, nil
			}
			if c.body.status() != 0 {
				return 0, errBody
			}
			if !a.broken {
				limit()
			}
			continue
		case a.broken: // also when nothing more is there
			if c.account != nil {
				c.account.notSent(a.why)
			}
			return event.Reset, nil
		case err == errTimeout:
			c.late(deadline)
			return event.ReadTimeout, nil
		case err == io.EOF:
			return event.Closed, nil
		default:
			if c.account != nil {
				c.account.notReceived(err)
			}
			return event.Reset, nil
		}
		v := c.rs.Scan(c.rb.unread())
		for v == wire.Hints {
			c.rb.r += c.rs.At
			c.rb.compact()
			c.rs.Reset(a.pass.Upstream.Version)
			if v = c.rs.Scan(c.rb.unread()); v == wire.Hints && a.pass.Upstream.Version.StopsAtSecondHints() {
				v = c.rs.Final(c.rb.unread())
			}
		}
		switch v {
		case wire.Whole:
			return 0, nil
		case wire.Invalid:
			c.model.BadHeader(c.rs.Why)
			return event.InvalidHeader, nil
		}
		if c.rb.full() {
			c.model.TooBig()
			return event.InvalidHeader, nil
		}
	}
}

// sendingOver takes the sender's result in.
func (a *attempt) sendingOver() event.Outcome {
	if !a.sender.finished() {
		return 0
	}
	switch a.sender.err {
	case nil:
		a.sent = a.sender.at
		if a.sender.body != nil && !a.pass.IgnoreClientAbort {
			a.c.rewatch()
		}
	case errTimeout:
		return event.SendTimeout
	case errBody:
	default:
		if a.unsent() {
			return event.Reset
		}
		a.broken, a.why = true, a.sender.err
	}
	return 0
}

// unsent says whether a write failed while there was more to send: nginx doesn't
// look for an answer then. One that waited for room finds the answer first, because
// of two events on a connection nginx handles reading first
// (ngx_epoll_process_events).
func (a *attempt) unsent() bool {
	s := a.sender
	if s == nil {
		return false
	}
	s.rest()
	if !s.over.Load() || s.err == nil || s.err == errTimeout || s.err == errBody || s.err == errHalted || s.waited {
		return false
	}
	if acc := a.c.account; acc != nil {
		acc.notSent(s.err)
	}
	return true
}

// quiet ends the sending, if it is still going on.
func (a *attempt) quiet() {
	if a.sender == nil {
		return
	}
	if !a.sender.stop() {
		a.broken = true
	}
	a.sender = nil
}

// over ends the attempt's use of the connection and says whether the whole
// request went out.
func (a *attempt) over() bool {
	a.c.use(nil)
	a.quiet()
	return !a.broken
}
