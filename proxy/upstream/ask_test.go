package upstream_test

import (
	"strconv"
	"strings"
	"time"

	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/upstream"
)

// follow carries out a decision.
func (a *ask) follow(d upstream.Decision) {
	a.step++
	in, step := a.play.in, a.step
	later := func(after time.Duration, do func()) {
		a.play.at(in.now+after, func() {
			if a.step == step && !a.over {
				do()
			}
		})
	}
	switch d.Action {
	case upstream.Answer:
		if e := in.events[len(in.events)-1]; e.Kind == event.NoLive || strings.HasPrefix(e.Detail, "no live") {
			a.path = append(a.path, in.cfg.Name+":502")
		}
		a.finish(strconv.Itoa(d.Status))
	case upstream.Try:
		peer := in.cfg.Servers[d.Peer].Name
		a.conn = in.conns[d.Conn]
		if d.Conn == 0 {
			a.conn = &conn{peer: d.Peer, opened: in.now}
		}
		delete(in.conns, d.Conn)
		a.path = append(a.path, peer+":")
		a.act = in.next(peer)
		a.attempt(later)
	case upstream.Pass:
		a.path[len(a.path)-1] += strconv.Itoa(d.Status)
		outcome, client := event.Passed, strconv.Itoa(d.Status)
		switch a.act.do {
		case "cut":
			outcome, client = event.Truncated, client+" (truncated)"
		case "garbage":
			client = "009"
		}
		a.keep(outcome)
		a.req.End(in.now, outcome, d.Status)
		a.finish(client)
	}
}

// attempt schedules how the running attempt ends.
func (a *ask) attempt(later func(time.Duration, func())) {
	in := a.play.in
	outcome, status := acts[a.act.do], 200
	if n, err := strconv.Atoi(a.act.do); err == nil {
		outcome, status = event.Passed, n
	}
	timeout := in.readTimeout
	if outcome == event.ConnectTimeout {
		timeout = in.connectTimeout
	}
	fail := func(o event.Outcome) func() { return func() { a.fail(o) } }
	switch {
	case outcome == event.ReadTimeout, outcome == event.ConnectTimeout, outcome == event.SendTimeout:
		later(timeout, fail(outcome))
	case a.act.after >= timeout:
		later(timeout, fail(event.ReadTimeout))
	case outcome == event.Passed, outcome == event.Truncated:
		later(a.act.after, func() {
			d := a.req.Header(in.now, status)
			if d.Action != upstream.Pass {
				a.path[len(a.path)-1] += in.noted()
			}
			a.follow(d)
		})
	default:
		later(a.act.after, fail(outcome))
	}
}

func (a *ask) fail(o event.Outcome) {
	d := a.req.Fail(a.play.in.now, o)
	a.path[len(a.path)-1] += a.play.in.noted()
	a.follow(d)
}

// noted is the status that the attempt which ended last got, "-" for none.
func (in *interpreter) noted() string {
	for i := len(in.events) - 1; i >= 0; i-- {
		if e := in.events[i]; e.Kind == event.AttemptEnded && e.Status != 0 {
			return strconv.Itoa(e.Status)
		} else if e.Kind == event.AttemptEnded {
			break
		}
	}
	return "-"
}

// abort lets the client leave.
func (a *ask) abort() {
	if a.over {
		return
	}
	a.path[len(a.path)-1] += "-"
	a.req.End(a.play.in.now, event.Aborted, 0)
	a.finish("499")
}

// keep stores the connection of a response that came whole.
func (a *ask) keep(o event.Outcome) {
	in := a.play.in
	a.conn.served++
	if in.cache == nil || o != event.Passed || a.act.do == "garbage" {
		return
	}
	in.lastConn++
	id := in.lastConn
	in.conns[id] = a.conn
	delete(in.conns, in.cache.Store(upstream.Served{
		Conn: id, Peer: a.conn.peer, Location: a.chain.location, Requests: a.conn.served, Opened: a.conn.opened,
	}, in.now))
}

func (a *ask) finish(status string) {
	in := a.play.in
	a.over, a.ended, a.status = true, in.now, status
	a.play.at(in.now, func() { a.play.send(a.chain) })
}
