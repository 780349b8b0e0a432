package sim

import (
	"cmp"
	"slices"

	"github.com/nolive/nolive/backends/fault"
)

// leftover is what a backend goes on to send of an answer that nginx is done with and
// whose connection it has kept: the final response behind an interim one, after a
// HEAD, or more than Content-Length says. On an idle connection it is the end of that
// (ngx_http_upstream_keepalive_close_handler). Where the connection is used again
// before, nginx takes it for the beginning of the next answer.
type leftover struct {
	// script has the bytes, all of its response; sights is when they come.
	script *fault.Script
	sights []fault.Sight
}

// leftoverOf is what comes of the sights behind the first bytes of a script's response.
func leftoverOf(script *fault.Script, bytes int64, later []fault.Sight) *leftover {
	r := &script.Response
	l := &leftover{script: &fault.Script{Name: script.Name}, sights: slices.Clone(later)}
	l.script.Response = fault.Response{Status: r.Status, Head: r.Append(nil, bytes, r.Size()-bytes), Announced: -1}
	for i := range l.sights {
		l.sights[i].Bytes -= bytes
	}
	return l
}

// then is the leftover with what comes behind it; a nil script has no bytes.
func (l *leftover) then(script *fault.Script, sights []fault.Sight) (*fault.Script, []fault.Sight) {
	all := slices.Clone(l.sights)
	if n := len(all); n > 0 && all[n-1].End != 0 {
		return l.script, all
	}
	before := l.script.Response.Size()
	for _, v := range sights {
		v.Bytes += before
		all = append(all, v)
	}
	if script == nil {
		return l.script, all
	}
	joint := *script
	bytes := l.script.Response.Append(nil, 0, before)
	joint.Response.Interim = append(bytes, script.Response.Interim...)
	return &joint, all
}

// inherit sends a request on a connection on which an answer to another one is still
// under way: what comes of that is the beginning of this one's. The backend reads the
// request when it has sent it.
func (s *Sim) inherit(x *exchange) {
	c := x.conn
	x.behind, c.left, c.ends = c.left, nil, 0
	at, ok := x.b.doors.Thaw(max(s.now, c.busy))
	switch last := len(x.behind.sights) - 1; {
	case x.behind.sights[last].End == 0:
	case x.behind.sights[last].At > c.busy: // of an idle connection
		x.behind.sights = x.behind.sights[:last]
	default:
		// It is never read, and a socket closed with unread data resets.
		x.behind.sights[last].End, ok = fault.Reset, false
	}
	x = x.outlive()
	if ok {
		s.push(step{at: at, do: doRead, x: x})
	}
	s.saw(x, nil, nil)
}

// stands says whether the flight is still about the exchange, however far it has got,
// and then goes on with it.
func (x *exchange) stands() bool {
	if x.behind == nil || x.conn.user != x || x.f.life != x.life || x.f.conn != x.conn {
		return false
	}
	x.gen = x.f.gen
	return true
}

// orphan is a request whose answer nginx thinks it has had. What the backend sends goes
// to whoever has the connection now.
func (s *Sim) orphan(x *exchange, script *fault.Script, keep *fault.Keep) {
	c := x.conn
	l := leftoverOf(script, 0, s.play(nil, x, script, keep, x.trip.Step.Pass.HTTP11 && x.trip.Keeps()))
	switch idle := c.timer.cache.conns[c.timer.id] == c; {
	case len(l.sights) == 0:
	case idle:
		c.abandonAt(l)
		c.until = min(c.until, c.closes)
		c.timer.move(s, c.until)
	case c.user != nil:
		y := c.user
		if y.behind != nil {
			l.script, l.sights = y.behind.then(l.script, l.sights)
		}
		if y.behind = l; y.stands() {
			s.saw(y, nil, nil)
		}
	}
}

// abandonAt lets the leftover end the connection if it is idle when it comes.
func (c *conn) abandonAt(l *leftover) {
	first := l.sights[0]
	c.left, c.ends, c.closes = l, cmp.Or(first.End, fault.Close), first.At
}
