package nginx

import (
	"sort"
	"time"

	"github.com/nolive/nolive/harness/event"
)

// stamped is an event on its way out. Events of one millisecond are put in the
// order in which nginx most likely had them: failures as its error log has
// them, ends as its access log has them, then arrivals by connection. What a
// request does within its own millisecond stays together.
type stamped struct {
	at    int64 // milliseconds of nginx's clock
	class int
	num   int64
	pid   int
	event.Event
}

// The classes of stamped.
const (
	byErrorLog = iota
	byAccessLog
	byConnection
)

// account collects events.
type account struct {
	names  names
	events []stamped
	// clock turns milliseconds of nginx's clock into scenario time.
	clock func(int64) time.Duration
}

// exchange adds everything that one request tells.
func (a *account) exchange(x *exchange) {
	last := stamped{at: x.end - x.took, class: byConnection, num: x.connection}
	add := func(at int64, class int, num int64, e event.Event) {
		if at != last.at {
			last = stamped{at: at, class: class, num: num}
		}
		e.Request = x.request
		s := last
		s.pid, s.Event = x.pid, e
		a.events = append(a.events, s)
	}
	for i := range x.steps {
		s := &x.steps[i]
		e := event.Event{Try: s.try, Peer: s.peer, Upstream: s.upstream, Cached: s.cached}
		class, num := byAccessLog, int64(x.number)
		if l := earlier(s.cause, s.mark); l != nil {
			class, num = byErrorLog, int64(l.number)
		}
		if s.noLive {
			e.Kind, e.Order = event.NoLive, order(s)
			add(s.start, class, num, e)
			e.Order = 0
			a.log(add, s.start, e, s.cause)
			continue
		}
		e.Kind = event.AttemptStarted
		add(s.start, class, num, e)
		for _, l := range s.others {
			a.log(add, min(max(l.second*1000, s.start), s.end), e, l)
		}
		if x.stream && s.connect >= 0 {
			e.Kind = event.Connected
			add(min(s.start+s.connect, s.end), class, num, e)
		}
		if s.outcome == 0 {
			break
		}
		e.Kind, e.Outcome, e.Status, e.Order = event.AttemptEnded, s.outcome, s.status, order(s)
		if s.how != 0 {
			e.Detail = s.how.String()
		}
		add(s.end, class, num, e)
		e.Detail, e.Order = "", 0
		for _, l := range inOrder(s.cause, s.mark) {
			if l == s.mark {
				e.Kind = event.PeerMarked
				add(s.end, class, num, e)
			}
			a.log(add, s.end, e, l)
		}
	}
	for _, l := range x.others {
		at := min(max(l.second*1000, x.end-x.took), x.end)
		a.events = append(a.events, a.line(l, at, x.request))
	}
	if !x.unfinished {
		add(x.end, byAccessLog, int64(x.number), event.Event{Kind: event.ProxyAnswered, Status: x.status})
	}
}

// log adds the line of the error log that goes with a step.
func (a *account) log(add func(int64, int, int64, event.Event), at int64, of event.Event, l *errorLine) {
	if l != nil {
		add(at, byErrorLog, int64(l.number), event.Event{
			Kind: event.Logged, Try: of.Try, Peer: of.Peer, Upstream: of.Upstream, Detail: a.names.restore(l.head),
		})
	}
}

// alone adds a line of the error log that no request claims. A mark is one all the same.
func (a *account) alone(l *errorLine) {
	s := a.line(l, l.second*1000, event.Request{})
	if l.marks() {
		m := s
		m.Event = event.Event{Kind: event.PeerMarked, Peer: s.Peer, Upstream: s.Upstream}
		a.events = append(a.events, m)
	}
	if l.noLive() {
		m := s
		m.Event = event.Event{Kind: event.NoLive, Upstream: s.Upstream}
		a.events = append(a.events, m)
	}
	a.events = append(a.events, s)
}

func (a *account) line(l *errorLine, at int64, r event.Request) stamped {
	e := event.Event{Kind: event.Logged, Request: r, Detail: a.names.restore(l.head)}
	switch {
	case l.addr == "":
	case a.names.isUpstream(l.addr):
		e.Upstream = l.addr
	default:
		e.Peer = a.names.peer(l.addr)
		e.Upstream = a.names.of("", e.Peer, false)
	}
	return stamped{at: at, class: byErrorLog, num: int64(l.number), pid: l.pid, Event: e}
}

// emit sorts the events, numbers the workers and hands everything to the sink.
func (a *account) emit(sink event.Sink) {
	sort.SliceStable(a.events, func(i, j int) bool {
		p, q := &a.events[i], &a.events[j]
		switch {
		case p.at != q.at:
			return p.at < q.at
		case p.class != q.class:
			return p.class < q.class
		}
		return p.num < q.num
	})
	workers := map[int]int{}
	for i := range a.events {
		s := &a.events[i]
		s.At = a.clock(s.at)
		if s.Kind == event.Logged {
			// A line may come from the master, or from before the run.
			s.At = max(s.At, 0)
			s.Worker = workers[s.pid]
		} else {
			n, ok := workers[s.pid]
			if !ok {
				n = len(workers)
				workers[s.pid] = n
			}
			s.Worker = n
		}
		sink.Emit(s.Event)
	}
}

// order is the line of the error log that nginx wrote as it gave the attempt up and
// picked the next peer, in one go (ngx_http_upstream_next), or as it found none. A
// body that broke off is given up when the client has what came of it, so its line
// may be long before.
func order(s *step) int {
	l := earlier(s.cause, s.mark)
	if l == nil || s.outcome == event.Truncated || s.outcome == event.Relayed {
		return 0
	}
	return l.number
}

func earlier(a, b *errorLine) *errorLine {
	if ls := inOrder(a, b); len(ls) > 0 {
		return ls[0]
	}
	return nil
}

// inOrder are the lines that there are, in the order of the log.
func inOrder(a, b *errorLine) []*errorLine {
	switch {
	case a == nil && b == nil:
		return nil
	case b == nil:
		return []*errorLine{a}
	case a == nil:
		return []*errorLine{b}
	case b.number < a.number:
		return []*errorLine{b, a}
	}
	return []*errorLine{a, b}
}
