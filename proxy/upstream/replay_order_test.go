package upstream_test

import (
	"testing"
	"time"

	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/upstream"
)

// ordered gives every failure and every pool without a peer its line in the error
// log of its worker, in the order in which the log has them.
func ordered(log []upstream.Recorded) []upstream.Recorded {
	lines, came := map[int]int{}, map[event.Request]bool{}
	out := append([]upstream.Recorded(nil), log...)
	for i := range out {
		e := &out[i].Event
		switch {
		case e.Kind == event.NoLive && !came[e.Request]:
		case e.Kind == event.AttemptEnded && e.Outcome != event.Passed && e.Outcome != event.Listed && e.Outcome != event.Aborted && e.Outcome != event.Truncated:
		default:
			came[e.Request] = true
			continue
		}
		came[e.Request] = true
		lines[e.Worker]++
		e.Order = lines[e.Worker]
	}
	return out
}

// A machine that stands still again and again lets many things happen in one
// millisecond of the log. Their order is more than can be guessed; the error log
// has that of the failures.
func TestReplayAfterStalls(t *testing.T) {
	const stall = time.Second
	var without, with upstream.Replay
	for seed := range uint64(5) {
		w := newWorld(seed)
		w.sick, w.workers = 0.9, 1
		log := w.run()
		for i := range log {
			at := &log[i].Event.At
			if into := *at % stall; into > stall/2 {
				*at = *at - into + stall - time.Millisecond // what came while it stood
			}
		}
		opt := upstream.ReplayOptions{ClockError: time.Microsecond, Readings: 64}
		sum(&without, upstream.ReplayEvents(w.cfg, log, opt))
		sum(&with, upstream.ReplayEvents(w.cfg, ordered(log), opt))
	}
	if with.Different != 0 {
		t.Errorf("%d of %d differ", with.Different, with.Decisions)
	}
	if with.Cut > without.Cut/4 {
		t.Error("the order of the log is of no use")
	}
	t.Logf("cut %d times without an order, %d with, in %d decisions", without.Cut, with.Cut, with.Decisions)
}

// Two time-outs of the same millisecond: who came first decides who got which
// server, and the error log knows. What it doesn't allow is a difference.
func TestReplayKeepsTheOrderOfTheErrorLog(t *testing.T) {
	cfg := upstream.Config{Name: "app"}
	for _, name := range []string{"a", "b", "c", "d"} {
		cfg.Servers = append(cfg.Servers, upstream.Server{Name: name, Weight: 1, MaxFails: 1, FailTimeout: 10 * time.Second})
	}
	arrival := upstream.Arrival{Method: "GET", Policy: upstream.Policy{Next: upstream.Error | upstream.Timeout}}
	log := func(first, second int, next1, next2 string) []upstream.Recorded {
		var out []upstream.Recorded
		add := func(at time.Duration, n int, e event.Event) {
			e.At, e.Request, e.Upstream = at, event.Request{Traffic: "r", N: n}, "app"
			out = append(out, upstream.Recorded{Event: e, Arrival: arrival})
		}
		for n, peer := range []string{"", "a", "b"} {
			if n > 0 {
				add(time.Duration(n)*time.Second, n, event.Event{Kind: event.AttemptStarted, Try: 1, Peer: peer})
			}
		}
		const then = 70 * time.Second
		for n, peer := range []string{"", "a", "b"} {
			if n == 0 {
				continue
			}
			e := event.Event{Try: 1, Peer: peer, Kind: event.AttemptEnded, Outcome: event.ReadTimeout, Order: []int{0, first, second}[n]}
			add(then, n, e)
			e.Kind, e.Order = event.PeerMarked, 0
			add(then, n, e)
			add(then, n, event.Event{Kind: event.AttemptStarted, Try: 2, Peer: []string{"", next1, next2}[n]})
		}
		return out
	}
	for _, tt := range []struct {
		name          string
		first, second int
		next1, next2  string
		different     int
	}{
		{"1 first", 7, 8, "c", "d", 0},
		{"2 first", 8, 7, "d", "c", 0},
		{"in no order", 0, 0, "d", "c", 0},
		{"one of them has a line", 7, 0, "d", "c", 0},
		{"1 first, and 2 got what it left", 7, 8, "d", "c", 1},
	} {
		got := upstream.ReplayEvents(cfg, log(tt.first, tt.second, tt.next1, tt.next2), upstream.ReplayOptions{})
		if got.Decisions != 4 || got.Different != tt.different {
			t.Errorf("%s: %d of %d differ, want %d\n%v", tt.name, got.Different, got.Decisions, tt.different, got.First)
		}
	}
}

// Lines that were taken for another's bind nobody: where they contradict the order
// of a request's own steps, and where they are farther off than the stamps may be.
func TestReplayGetsOverLinesOfOthers(t *testing.T) {
	cfg := upstream.Config{Name: "app"}
	for _, name := range []string{"a", "b", "c", "d"} {
		cfg.Servers = append(cfg.Servers, upstream.NewServer(name))
	}
	type line struct {
		at    time.Duration
		n     int
		e     event.Event
		order int
	}
	started := func(at time.Duration, n, try int, peer string) line {
		return line{at, n, event.Event{Kind: event.AttemptStarted, Try: try, Peer: peer}, 0}
	}
	refused := func(at time.Duration, n, try int, peer string, order int) []line {
		return []line{
			{at, n, event.Event{Kind: event.AttemptEnded, Outcome: event.Refused, Try: try, Peer: peer}, order},
			{at, n, event.Event{Kind: event.PeerMarked, Try: try, Peer: peer}, 0},
		}
	}
	passed := func(at time.Duration, n, try int, peer string) line {
		return line{at, n, event.Event{Kind: event.AttemptEnded, Outcome: event.Passed, Try: try, Peer: peer, Status: 200}, 0}
	}
	for name, lines := range map[string][][]line{
		// The second failure of request 1 is said to be before its first.
		"a ring": {
			{started(0, 1, 1, "a")}, refused(0, 1, 1, "a", 2), {started(0, 1, 2, "b")}, refused(0, 1, 2, "b", 1), {started(0, 1, 3, "c"), passed(0, 1, 3, "c")},
		},
		// Request 2's failure is said to be behind that of request 1, a minute later.
		"far off": {
			{started(0, 1, 1, "a"), started(0, 2, 1, "b")}, refused(0, 2, 1, "b", 2), {started(0, 2, 2, "c"), passed(time.Second, 2, 2, "c")},
			refused(time.Minute, 1, 1, "a", 1), {started(time.Minute, 1, 2, "d"), passed(time.Minute, 1, 2, "d")},
		},
	} {
		var in []upstream.Recorded
		for _, some := range lines {
			for _, l := range some {
				l.e.At, l.e.Request, l.e.Upstream, l.e.Order = l.at, event.Request{Traffic: "r", N: l.n}, "app", l.order
				in = append(in, upstream.Recorded{Event: l.e, Arrival: upstream.Arrival{Method: "GET"}})
			}
		}
		if got := upstream.ReplayEvents(cfg, in, upstream.ReplayOptions{ClockError: time.Millisecond}); got.Different > 0 || got.Decisions != steps(in) {
			t.Errorf("%s: %+v, want %d decisions\n%v", name, got, steps(in), got.First)
		}
	}
}
