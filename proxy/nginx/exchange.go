package nginx

import (
	"slices"

	"github.com/nolive/nolive/harness/event"
)

// exchange is one request as nginx's two logs tell it together. Times are
// milliseconds of nginx's clock.
type exchange struct {
	accessLine
	number     int // of the line in the access log, from 1
	steps      []step
	others     []*errorLine // lines of its connection that are about no step
	unfinished bool         // cut off by the end of the run
}

// step is one attempt, or one pick that found no live peer.
type step struct {
	attemptRecord
	try            int // 0 for noLive
	noLive         bool
	last           bool // of its run
	replaced       bool // another run came after it
	gaveUp         bool // a listed status that led to no other attempt
	peer, upstream string
	start, end     int64
	outcome        event.Outcome // 0 for one that still ran at the end
	how            event.Outcome // what broke the body off
	cached         bool
	cause, mark    *errorLine
	others         []*errorLine // lines about it that tell of no end
}

// newExchange works out the steps of a request; lines are the lines of the
// error log of its connection, of which it takes its own.
func newExchange(a accessLine, number int, n names, lines *connectionLines, end int64) *exchange {
	x := &exchange{accessLine: a, number: number}
	from, until := (a.end-a.took)/1000, a.end/1000
	lines.begin()
	try := 0
	for i, r := range a.attempts {
		s := step{attemptRecord: r, last: i+1 == len(a.attempts) || a.attempts[i+1].run != r.run, replaced: r.run != a.attempts[len(a.attempts)-1].run}
		s.noLive = n.isUpstream(r.addr) && (r.header < 0 || n.dialect.filled && r.header == r.response)
		n.dialect.unfill(&s, lines, from, until)
		if s.noLive {
			s.upstream = r.addr
		} else {
			try++
			s.try, s.peer = try, n.peer(r.addr)
			s.upstream = n.of(a.host, s.peer, !s.replaced)
		}
		if a.stream {
			lines.takeSession(&s, from, until)
		} else {
			lines.take(&s, from, until, &a, n.unannounced[s.peer])
			if n.dialect.givesUp && s.last && s.cause == nil && s.header >= 0 && s.status >= 400 {
				s.mark = lines.mark(&s, from, until)
				s.gaveUp = s.mark != nil || a.own
			}
		}
		x.steps = append(x.steps, s)
	}
	for _, l := range lines.others(from, until) {
		i := slices.IndexFunc(x.steps, func(s step) bool { return s.addr == l.addr })
		if i < 0 {
			x.others = append(x.others, l)
		} else {
			x.steps[i].others = append(x.steps[i].others, l)
		}
	}
	x.unfinished = a.end >= end && !a.complete
	for i := range x.steps {
		if a.stream {
			x.judgeSession(&x.steps[i])
		} else {
			x.judge(&x.steps[i], n.unannounced[x.steps[i].peer])
		}
	}
	n.dialect.close(x)
	x.schedule()
	return x
}

// judge says how an attempt ended. unannounced are the sizes that those of the backend's
// responses have whose heads don't say it.
func (x *exchange) judge(s *step, unannounced []int64) {
	if s.noLive {
		return
	}
	if s.cause != nil {
		s.outcome, s.how = s.cause.cause()
		return
	}
	switch {
	case s.header >= 0 && (!s.last || s.gaveUp):
		s.outcome = event.Listed
	case s.header >= 0 && (x.complete || s.replaced || s.last && x.readWhole(s, unannounced)):
		s.outcome = event.Passed
	case s.last && x.unfinished:
		// Still running when we stopped nginx.
	case s.header >= 0, s.status == 0, s.last && x.accessLine.status == clientClosed && s.status != 502 && s.status != 504:
		// The status may be there although the header isn't: its line came. 502 and
		// 504 are what nginx writes for a failure.
		s.outcome = event.Aborted
	default:
		s.outcome = s.guess()
	}
}

// firstRead is how much of a response nginx reads before it writes any of it:
// proxy_buffer_size and proxy_buffers. Of one that fails at its second write it has
// read more.
const firstRead = 36 << 10

// atOnce is how many milliseconds there may be between the header and the end of a
// response that came at once. One that nginx is in the middle of when its client
// leaves, and that it ends for that, takes longer.
const atOnce = 2

// readWhole says whether nginx had all of a response that it couldn't write to a client that
// had left: the first write succeeds all the same, and where the response is whole when
// another one fails, the exchange with the backend ends as it should. Where its head didn't
// say how long it is, neither does the log: then it is whole with one of the sizes that the
// backend's have, and where those aren't known, in chunks that were few and came at once.
func (x *exchange) readWhole(s *step, unannounced []int64) bool {
	switch {
	case x.unfinished || x.accessLine.status == clientClosed || x.sent == 0 || s.received < 0:
		return false
	case (x.chunked || x.unframed) && len(unannounced) > 0:
		return slices.Contains(unannounced, s.received)
	case x.chunked:
		return s.received <= firstRead && s.response-s.header <= atOnce
	}
	return s.received == x.length
}

// guess says how a failed attempt ended whose line with the reason is missing: cut
// short by nginx's limit of 2048 bytes, or written elsewhere. The lists tell half of it.
func (s *step) guess() event.Outcome {
	switch late, connected := s.status == 504, s.connect >= 0; {
	case late && connected:
		return event.ReadTimeout
	case late:
		return event.ConnectTimeout
	case connected:
		return event.Closed
	}
	return event.Refused
}

// clientClosed is nginx's status for a client that left (NGX_HTTP_CLIENT_CLOSED_REQUEST).
const clientClosed = 499

// schedule gives every step its instants. The first one starts when the request
// arrived, $msec less $request_time, which are of one clock and exact; with a
// body that is read before, it is counted back from the end. Every other starts
// when the one before ended.
//
// The response times come from nginx's monotonic clock and are rounded, so the
// end of an attempt may be off by a millisecond or two, across the edge of a
// second. The stamp in the error log, though written in whole seconds, is the
// very second that nginx compares (ngx_time()), so it corrects the end.
func (x *exchange) schedule() {
	t := x.end - x.took
	if x.body {
		var sum int64
		for _, s := range x.steps {
			sum += max(s.response, 0)
		}
		t = max(t, x.end-sum)
	}
	for i := range x.steps {
		s := &x.steps[i]
		s.start = t
		if !s.noLive {
			t += max(s.response, 0)
		}
		for _, l := range []*errorLine{s.cause, s.mark} {
			if l != nil {
				t = min(max(t, l.second*1000), l.second*1000+999)
			}
		}
		t = max(min(t, x.end), s.start)
		s.end = t
	}
}

// connectionLines are the lines of the error log of one client connection, in
// order. Requests on a connection come one after the other. Which of them a line is
// about is known from the lines between that say that a request is over; in a log
// without those each takes the first lines of its seconds that fit and that nobody took.
type connectionLines struct {
	lines []*errorLine
	taken []bool
	// of is for each line how many requests were over before it; requests is how many
	// are over in all, and current the one that looks for its lines, from 1.
	of                []int
	requests, current int
}

func (c *connectionLines) add(l *errorLine) {
	c.lines = append(c.lines, l)
	c.taken = append(c.taken, false)
	c.of = append(c.of, c.requests)
}

// over notes that a request is over.
func (c *connectionLines) over() { c.requests++ }

// begin is called before the lines of a request are looked for, in the order of
// the access log.
func (c *connectionLines) begin() {
	if c != nil {
		c.current++
	}
}

// may says whether line i may be the current request's.
func (c *connectionLines) may(i int, from, until int64) bool {
	switch l := c.lines[i]; {
	case c.taken[i]:
		return false
	case c.requests > 0:
		return c.of[i] == c.current-1
	default:
		return l.second >= from && l.second <= until
	}
}

// first finds and takes the first free line of the request that fits.
func (c *connectionLines) first(from, until int64, fits func(*errorLine) bool) (int, bool) {
	if c == nil {
		return 0, false
	}
	for i, l := range c.lines {
		if c.may(i, from, until) && fits(l) {
			c.taken[i] = true
			return i, true
		}
	}
	return 0, false
}

// next is the first free line of the request that fits; nobody takes it.
func (c *connectionLines) next(from, until int64, fits func(*errorLine) bool) *errorLine {
	if c == nil {
		return nil
	}
	for i, l := range c.lines {
		if c.may(i, from, until) && fits(l) {
			return l
		}
	}
	return nil
}

// take finds the lines of one step: for a failure of the header phase the
// cause, for a passed response what broke its body off, and the mark. A response
// that went out whole, or that nginx threw away, broke off nowhere: such a line is of
// another request on the same connection in the same second, or of a later step.
// unannounced are the sizes of the backend's bodies whose heads don't say it.
func (c *connectionLines) take(s *step, from, until int64, a *accessLine, unannounced []int64) {
	same := func(l *errorLine) bool { return l.addr == s.addr || l.addr == "" }
	if s.noLive {
		if i, ok := c.first(from, until, func(l *errorLine) bool { return l.noLive() && same(l) }); ok {
			s.cause = c.lines[i]
		}
		return
	}
	if s.header >= 0 && !s.last { // a listed status: all that tells of it is the mark
		s.mark = c.mark(s, from, until)
		return
	}
	if s.header >= 0 && (a.whole || s.replaced || bodyless(s.status) || a.chunked && slices.Contains(unannounced, s.received)) {
		return
	}
	i, ok := c.first(from, until, func(l *errorLine) bool {
		o, how := l.cause()
		if o == event.Truncated && a.unframed && how == event.Closed {
			return false // closing ends such a response as it should
		}
		return o != 0 && (o == event.Truncated) == (s.header >= 0) && same(l)
	})
	if !ok {
		return
	}
	s.cause = c.lines[i]
	// For time-outs nginx writes the mark first, for everything else after the
	// cause (ngx_http_upstream_next).
	for _, j := range []int{i - 1, i + 1} {
		o, _ := s.cause.cause()
		timeout := o == event.ConnectTimeout || o == event.SendTimeout || o == event.ReadTimeout
		if (j < i) == timeout && j >= 0 && j < len(c.lines) && c.may(j, from, until) && c.lines[j].marks() && same(c.lines[j]) {
			c.taken[j] = true
			s.mark = c.lines[j]
		}
	}
}

// mark finds the line of a step's mark.
func (c *connectionLines) mark(s *step, from, until int64) *errorLine {
	if i, ok := c.first(from, until, func(l *errorLine) bool { return l.marks() && (l.addr == s.addr || l.addr == "") }); ok {
		return c.lines[i]
	}
	return nil
}

// others takes the lines that tell of no attempt, such as a buffered body.
func (c *connectionLines) others(from, until int64) []*errorLine {
	var out []*errorLine
	for {
		i, ok := c.first(from, until, func(l *errorLine) bool {
			o, _ := l.cause()
			return o == 0 && !l.marks() && !l.noLive()
		})
		if !ok {
			return out
		}
		out = append(out, c.lines[i])
	}
}

// rest are the lines that no request took.
func (c *connectionLines) rest() []*errorLine {
	var out []*errorLine
	for i, l := range c.lines {
		if !c.taken[i] {
			out = append(out, l)
		}
	}
	return out
}
