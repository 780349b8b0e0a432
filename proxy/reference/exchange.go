package reference

import (
	"time"

	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/nginxconf"
	"github.com/nolive/nolive/proxy/upstream"
)

// handle answers the request whose head was read. It says whether the
// connection stays open.
func (c *client) handle() bool {
	c.served++
	c.find()
	c.keeps()
	c.tries = 0
	step := c.route.step
	if c.account != nil && c.rq.id.N == 0 {
		// What is drawn is drawn by the request's number.
		c.rq.id.N = int(c.proxy.requests.Add(1))
	}
	c.logsLate = false
	if step.Pass == nil && (c.rq.chunked || c.rq.length > 0) {
		return c.answerAtOnce(step.Answer)
	}
	// nginx reads a body before it passes a request on.
	if !c.route.way.Refused() {
		there := int64(len(c.in.unread()))
		status := c.readBody(step.Pass)
		switch {
		case status == 413:
			c.logs(nginxconf.Error, nginxconf.TooLargeChunks(c.body.size, c.body.more))
		case c.account != nil:
			c.account.body()
		}
		if p := step.Pass; status == 0 && p != nil && p.Spools(c.rq.size, there, c.body.size, c.rq.chunked) {
			c.tell(nginxconf.BodyFile()) // to no journal: the file has no name, or there is none
		}
		switch {
		case status == 0:
		case c.body.gone:
			c.body.drop()
			c.leftInBody(status)
			return false
		default:
			step = c.fail(status)
		}
	}
	rest := c.body.rest
	if rest != nil {
		c.logsLate = true // if at the end it isn't all read
	} else if c.body.size < c.rq.length || c.rq.chunked && c.route.way.Closes() {
		// The rest of the body is still to come.
		c.rq.keepAlive, c.logsLate = false, true
		defer c.lingers()
	}
	for over := false; !over; {
		if step.Pass == nil {
			c.body.drop()
			c.reply(step.Answer)
			break
		}
		step, over = c.pass(step)
		c.release()
		if rest != nil {
			rest.spent = true
		}
	}
	if rest != nil {
		c.settle(rest)
	}
	c.body.drop()
	return c.rq.keepAlive && c.rules.Idle > 0 && !c.halted()
}

// keeps takes in what the configuration says where the request is now, and whether
// it lets the connection be kept (ngx_http_update_location_config).
func (c *client) keeps() {
	way := &c.route.way
	c.rules = way.Clients()
	if r := &c.rules; way.Placed() && (way.Unkept() || c.served >= r.Requests || time.Since(c.since) > c.proxy.clock.Real(r.Longest)) {
		c.rq.keepAlive = false
	}
}

// settle ends a request whose body was passed on as it came. What is left of it
// nginx reads and throws away.
func (c *client) settle(rest *upload) {
	if rest.done {
		c.unread(rest.from.unread())
		c.logsLate = false
	}
	if c.account != nil {
		c.account.bodyOver()
	}
	switch {
	case rest.done:
	case c.body.gone:
		c.rq.keepAlive = false
	default:
		c.rq.keepAlive = false
		c.lingers()
		return
	}
	if c.account != nil {
		c.account.over()
	}
}

// lingers lets a client that is still sending read its answer.
func (c *client) lingers() {
	if !c.halted() {
		c.linger()
	}
	if c.account != nil {
		c.account.over()
	}
}

// leftInBody ends a request whose client left in its body, or was silent for too
// long: nginx says nothing (ngx_http_finalize_request, c->error and 408).
func (c *client) leftInBody(status int) {
	c.rq.keepAlive = false
	if c.account != nil {
		c.account.broken = true
	}
	c.answered(status)
}

// pass takes the request to a backend and its response to the client. It returns
// what comes next, or that the request is over.
func (c *client) pass(step nginxconf.Step) (next nginxconf.Step, over bool) {
	pass := step.Pass
	n := c.worker.nodes[pass.Upstream]
	if c.account != nil {
		c.account.pass(step.URI)
	}
	c.identify(pass)
	c.compose(step)
	arrival := c.arrival(pass)
	arrival.Before = c.tries
	if way := &c.route.way; way.Last(pass) && !way.Adds() && !pass.Asks() {
		c.in.rest() // nobody looks at the request's head again
	}
	if !pass.IgnoreClientAbort {
		c.attend()
		defer c.ignore()
	}
	d, up := n.begin(c, arrival)
	for d.Action == upstream.Try {
		d, up = c.try(n, pass, d, up)
	}
	c.rb.drop()
	c.tries = c.model.Try()
	switch {
	case d.Action != upstream.Answer:
		return step, true
	case d.Status == 499 || c.halted():
		c.rq.keepAlive = false
		c.answered(499)
		return step, true
	case c.body.gone:
		c.leftInBody(d.Status)
		return step, true
	case d.Status == intercepted:
		return c.instead, false
	}
	return c.fail(d.Status), false
}

// intercepted is the status of the decision that a response of a backend has
// been replaced: c.instead says by what.
const intercepted = -1

// done is what try returns when the request is over and answered.
var done = upstream.Decision{}

// try carries out one attempt and returns the model's next decision, with the
// idle connection to use if it is to try again.
func (c *client) try(n *node, pass *nginxconf.Pass, d upstream.Decision, up *upconn) (upstream.Decision, *upconn) {
	if up == nil {
		var o event.Outcome
		var err error
		up, o, err = c.connect(n, d.Peer, pass)
		switch {
		case err == errHalted:
			return c.aborted(n), nil
		case err != nil:
			n.end(c, event.Aborted, 0)
			return upstream.Decision{Action: upstream.Answer, Status: 500}, nil
		case o != 0:
			return c.failed(n, o)
		}
	}
	a := &c.attempt
	*a = attempt{c: c, pass: pass, up: up}
	if c.account != nil {
		c.account.connectedTo(up)
	}
	o, err := a.run()
	switch {
	case err == errBody:
		a.over()
		up.close()
		if c.body.status() == 413 {
			c.logs(nginxconf.Error, nginxconf.TooLargeChunks(c.body.size, c.body.more))
		}
		n.end(c, event.Aborted, 0)
		return upstream.Decision{Action: upstream.Answer, Status: c.body.status()}, nil
	case err != nil:
		a.over()
		up.close()
		return c.aborted(n), nil
	case o != 0:
		a.over()
		up.close()
		return c.failed(n, o)
	}
	if listable(c.rs.Status) {
		n.settle()
	}
	if c.account != nil {
		c.account.answered(c.rs.Status, c.rb.b[:c.rs.At])
	}
	n.lock(c)
	if c.rs.Raw {
		c.model.NoStatusLine(n.clock.Now())
	}
	for _, line := range c.rs.Repeated {
		c.model.Dropped(n.clock.Now(), line)
	}
	next := c.model.Header(n.clock.Now(), c.rs.Status)
	if next.Action == upstream.Pass {
		n.mu.Unlock()
		if step, ok := c.intercept(pass); ok {
			c.relay = relay{c: c, n: n, peer: d.Peer, attempt: a}
			c.relay.discard()
			c.instead = step
			return upstream.Decision{Action: upstream.Answer, Status: intercepted}, nil
		}
		c.relay = relay{c: c, n: n, peer: d.Peer, attempt: a}
		c.relay.run()
		return done, nil
	}
	idle := n.take(next)
	n.mu.Unlock()
	a.over()
	up.close()
	return next, idle
}

// listable is true for a status that may make the model pick another peer.
func listable(status int) bool { return status >= 403 }

// failed tells the model of a failure. A client found gone in the same moment
// doesn't undo it, but nothing is tried any more.
func (c *client) failed(n *node, o event.Outcome) (upstream.Decision, *upconn) {
	n.settle()
	n.lock(c)
	defer n.mu.Unlock()
	if c.halted() {
		c.model.Gone()
	}
	d := c.model.Fail(n.clock.Now(), o)
	return d, n.take(d)
}

// aborted tells the model that the client left.
func (c *client) aborted(n *node) upstream.Decision {
	if c.account != nil {
		c.account.left()
	}
	n.end(c, event.Aborted, 0)
	return upstream.Decision{Action: upstream.Answer, Status: 499}
}

// end ends an exchange.
func (n *node) end(c *client, o event.Outcome, status int) {
	n.lock(c)
	c.model.End(n.clock.Now(), o, status)
	n.mu.Unlock()
}
