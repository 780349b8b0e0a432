package upstream_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/upstream"
)

// worlds are the kinds of runs that a replay has to explain.
var worlds = map[string]func(*world){
	"plain":  func(*world) {},
	"listed": func(w *world) { w.policy.Next = upstream.Error | upstream.HTTP503 | upstream.HTTP404 },
	"two tries": func(w *world) {
		w.policy.Tries = 2
		w.policy.Next = upstream.Error | upstream.Timeout | upstream.NonIdempotent
	},
	"limit":       func(w *world) { w.policy.Timeout = 150 * time.Millisecond },
	"two workers": func(w *world) { w.workers = 2 },
	"keepalive":   func(w *world) { w.cfg.Keepalive.Connections, w.policy.Tries, w.sick = 4, 1, 0.3 },
	"clients go":  func(w *world) { w.gone, w.sick = 0.5, 0.3 },
	"zone":        func(w *world) { w.workers = 3; w.cfg.Zone = true },
	"sick":        func(w *world) { w.sick = 0.6 },
	"slow":        func(w *world) { w.attempt = 3 * time.Second },
	"lone":        func(w *world) { w.cfg.Servers = w.cfg.Servers[:1] },
	"weights": func(w *world) {
		w.cfg.Servers[0].Weight, w.cfg.Servers[1].Weight, w.cfg.Servers[3].Backup = 5, 3, true
	},
	"max_conns": func(w *world) {
		for i := range w.cfg.Servers {
			w.cfg.Servers[i].MaxConns = 2
		}
	},
	"same address": func(w *world) {
		w.cfg.Servers[1].Name, w.cfg.Servers[3].Down = "a", true
		w.every = 150 * time.Millisecond
	},
	// The methods: with less of a crowd, because what a request met on its way and
	// the attempts in flight make more readings.
	"least_conn": func(w *world) {
		w.cfg.Method, w.cfg.Servers[3].Backup = upstream.LeastConn, true
		w.every = 150 * time.Millisecond
	},
	"least_conn, full": func(w *world) {
		w.cfg.Method, w.cfg.Servers[0].MaxConns, w.cfg.Servers[1].Weight = upstream.LeastConn, 1, 3
		w.every = 150 * time.Millisecond
	},
	"ip_hash":         func(w *world) { w.cfg.Method, w.sick, w.every = upstream.IPHash, 0.3, 150*time.Millisecond },
	"hash":            func(w *world) { w.cfg.Method, w.sick, w.every = upstream.Hash, 0.3, 150*time.Millisecond },
	"consistent hash": func(w *world) { w.cfg.Method, w.sick, w.every = upstream.ConsistentHash, 0.3, 150*time.Millisecond },
	"random":          func(w *world) { w.cfg.Method, w.sick, w.every = upstream.Random, 0.3, 150*time.Millisecond },
	"random two": func(w *world) {
		w.cfg.Method, w.attempt, w.every = upstream.RandomTwo, 300*time.Millisecond, 200*time.Millisecond
	},
	"random, most of the weight down": func(w *world) {
		w.cfg.Method, w.cfg.Servers[0].Weight, w.cfg.Servers[0].Down = upstream.Random, 20, true
		w.policy.Next = upstream.Error | upstream.Timeout | upstream.NonIdempotent
		w.every = 300 * time.Millisecond
	},
	"no penalty": func(w *world) {
		for i := range w.cfg.Servers {
			w.cfg.Servers[i].FailTimeout = 0
		}
	},
}

func TestReplayExplainsTheModelsOwnLog(t *testing.T) {
	for name, set := range worlds {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(20) {
				w := newWorld(seed)
				set(w)
				log := w.run()
				got := upstream.ReplayEvents(w.cfg, log, upstream.ReplayOptions{})
				if got.Different != 0 || got.Cut != 0 || got.Edges != 0 {
					t.Fatalf("seed %d: %+v\n%v", seed, got, got.First)
				}
				if want := steps(log); got.Decisions != want {
					t.Fatalf("seed %d: %d decisions were compared, the log has %d", seed, got.Decisions, want)
				}
			}
		})
	}
}

// steps counts what ReplayEvents compares: requests that came, and ends of attempts.
func steps(log []upstream.Recorded) int {
	n, seen := 0, map[event.Request]bool{}
	for _, r := range log {
		if r.Event.Kind == event.AttemptEnded {
			n++
		}
		if !seen[r.Event.Request] {
			seen[r.Event.Request] = true
			n++
		}
	}
	return n
}

// TestReplayExplainsJitter moves every stamp by up to the clock error: the true
// order is among the readings, so there is no difference. Taken as they stand
// the same stamps don't hold, or the test would show nothing.
func TestReplayExplainsJitter(t *testing.T) {
	const by = 20 * time.Millisecond
	for name, set := range worlds {
		t.Run(name, func(t *testing.T) {
			var asStamped, total upstream.Replay
			for seed := range uint64(8) {
				w := newWorld(seed)
				set(w)
				log := w.jitter(w.run(), by)
				got := upstream.ReplayEvents(w.cfg, log, upstream.ReplayOptions{ClockError: by})
				if got.Different != 0 {
					t.Fatalf("seed %d: %+v\n%v", seed, got, got.First)
				}
				sum(&total, got)
				sum(&asStamped, upstream.ReplayEvents(w.cfg, log, upstream.ReplayOptions{}))
			}
			t.Logf("%+v; as stamped %d", total, asStamped.Different)
			if name != "lone" && (asStamped.Different == 0 || total.Ambiguous == 0) {
				t.Errorf("the jitter changed nothing")
			}
		})
	}
}

func sum(a *upstream.Replay, b upstream.Replay) {
	a.Decisions += b.Decisions
	a.Ambiguous += b.Ambiguous
	a.Edges += b.Edges
	a.Different += b.Different
	a.Cut += b.Cut
}

// TestReplayNamesTheFirstDifference changes one decision of a log and asks for
// exactly that one.
func TestReplayNamesTheFirstDifference(t *testing.T) {
	other := map[string]string{"a": "b", "b": "c", "c": "d", "d": "a"}
	for name, c := range map[string]struct {
		kind   event.Kind
		change func(log []upstream.Recorded, i int) []upstream.Recorded
		what   string
	}{
		"another peer": {event.AttemptStarted, func(log []upstream.Recorded, i int) []upstream.Recorded {
			e := log[i].Event
			for j := range log {
				if f := &log[j].Event; f.Request == e.Request && f.Try == e.Try && f.Peer != "" {
					f.Peer = other[f.Peer]
				}
			}
			return log
		}, "try "},
		"a mark missing": {event.PeerMarked, func(log []upstream.Recorded, i int) []upstream.Recorded {
			return append(log[:i:i], log[i+1:]...)
		}, "mark "},
		"another status": {event.ProxyAnswered, func(log []upstream.Recorded, i int) []upstream.Recorded {
			log[i].Event.Status = 599
			return log
		}, "answer 599"},
	} {
		t.Run(name, func(t *testing.T) {
			later := 0
			for seed := range uint64(30) {
				w := newWorld(seed)
				w.sick = 0.3
				log := w.run()
				i := find(log, len(log)/3, c.kind)
				e := log[i].Event
				got := upstream.ReplayEvents(w.cfg, c.change(log, i), upstream.ReplayOptions{ClockError: time.Millisecond})
				if got.Different == 0 {
					t.Fatalf("seed %d: the change of %v at %v isn't seen", seed, e.Request, e.At)
				}
				d := got.First
				if d.At != e.At || d.Request != e.Request {
					t.Fatalf("seed %d: changed %v at %v, named %v", seed, e.Request, e.At, d)
				}
				if !strings.Contains(d.Model+d.Recorded, c.what) || len(d.Before) != 4 || len(d.After) != 4 {
					t.Fatalf("seed %d: %v", seed, d)
				}
				later += got.Different - 1
			}
			// Forcing brings the model back in step, so one change stays about one difference.
			t.Logf("%d more differences after 30 changes", later)
			if later > 90 {
				t.Errorf("%d more differences after 30 changes", later)
			}
		})
	}
}

// A difference in words.
func TestDifferencesInWords(t *testing.T) {
	d := upstream.Difference{
		At: 1500 * time.Millisecond, Request: event.Request{Traffic: "users", N: 7}, What: "came", Model: "try a", Recorded: "try b",
		Before: []upstream.PeerState{{Name: "a", Current: 1, Effective: 2, Fails: 3, Accessed: 4, Checked: 5, Conns: 6, Out: true}},
		After:  []upstream.PeerState{{Name: "a", Current: -1}},
	}
	const want = `1.5s users/7 came: model: try a; recorded: try b
  before a current=1 effective=2 fails=3 accessed=4 checked=5 conns=6 out
  after  a current=-1 effective=0 fails=0 accessed=0 checked=0 conns=0`
	if got := d.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// What happened before a difference: two servers, b being the other one than the
// model tries.
func TestWhatADifferenceIsOf(t *testing.T) {
	for _, c := range []struct {
		events []event.Event
		want   string
	}{
		{[]event.Event{{Kind: event.AttemptStarted, Try: 1, Peer: "b"}}, "0s r/1 came: model: try a; recorded: try b"},
		{[]event.Event{{Kind: event.NoLive}}, "0s r/1 came: model: try a; recorded: no live upstreams"},
		{[]event.Event{{Kind: event.AttemptStarted, Try: 1, Peer: "a"}, {Kind: event.AttemptEnded, Try: 1, Peer: "a", Outcome: event.Listed, Status: 503}, {Kind: event.NoLive}},
			"0s r/1 try 1 on a ended: listed 503: model: mark a, try b; recorded: no live upstreams"},
		{[]event.Event{{Kind: event.AttemptStarted, Try: 1, Peer: "a"}, {Kind: event.AttemptEnded, Try: 1, Peer: "a", Outcome: event.Passed, Status: 500}, {Kind: event.PeerMarked, Try: 1, Peer: "a"}},
			"0s r/1 try 1 on a ended: passed 500: model: pass on; recorded: mark a, pass on"},
		{[]event.Event{{Kind: event.AttemptStarted, Try: 1, Peer: "a"}, {Kind: event.AttemptEnded, Try: 1, Peer: "a", Outcome: event.Reset}, {Kind: event.ProxyAnswered, Status: 502}},
			"0s r/1 try 1 on a ended: reset: model: mark a, try b; recorded: answer 502"},
	} {
		cfg := upstream.Config{Name: "u", Servers: []upstream.Server{upstream.NewServer("a"), upstream.NewServer("b")}}
		var in []upstream.Recorded
		for _, e := range c.events {
			e.Request, e.Upstream = event.Request{Traffic: "r", N: 1}, "u"
			in = append(in, upstream.Recorded{Event: e, Arrival: upstream.Arrival{Method: "GET", Policy: upstream.Policy{Next: upstream.Error | upstream.HTTP503}}})
		}
		got := upstream.ReplayEvents(cfg, in, upstream.ReplayOptions{})
		if got.Different != 1 {
			t.Errorf("%s: %+v", c.want, got)
			continue
		}
		if line, _, _ := strings.Cut(got.First.String(), "\n"); line != c.want {
			t.Errorf("got  %s\nwant %s", line, c.want)
		}
	}
}

// TestReplayGetsOverALostRequest takes one request out of a log, as a proxy does
// that was asked by somebody else: the weights are off by a pick, so there may be
// a difference, but they come back in step.
func TestReplayGetsOverALostRequest(t *testing.T) {
	different := 0
	for seed := range uint64(30) {
		w := newWorld(seed)
		w.sick = 0
		lost := event.Request{Traffic: "w", N: 100}
		log := slices.DeleteFunc(w.run(), func(r upstream.Recorded) bool { return r.Event.Request == lost })
		different += upstream.ReplayEvents(w.cfg, log, upstream.ReplayOptions{ClockError: time.Millisecond}).Different
	}
	if different == 0 || different > 60 {
		t.Errorf("%d differences after 30 lost requests", different)
	}
}

// BenchmarkReplay is an hour of five requests a second on four servers, as
// recorded (0s) and with a clock error as at 30 times real speed (60ms).
func BenchmarkReplay(b *testing.B) {
	w := newWorld(1)
	w.requests, w.every = 18000, 200*time.Millisecond
	log := w.run()
	for _, by := range []time.Duration{0, 60 * time.Millisecond} {
		b.Run(by.String(), func(b *testing.B) {
			for b.Loop() {
				if got := upstream.ReplayEvents(w.cfg, log, upstream.ReplayOptions{ClockError: by}); got.Different > 0 {
					b.Fatal(got.First)
				}
			}
			b.ReportMetric(float64(steps(log)), "decisions/op")
		})
	}
}

// find is the first event from i on that fits; picks are those whose attempt
// passed, so that only the weights change, answers those of requests given up.
func find(log []upstream.Recorded, i int, kind event.Kind) int {
	outcome := map[event.Request]event.Outcome{} // of the last attempt, 0 after no live
	for _, r := range log[:i] {
		outcome[r.Event.Request] = r.Event.Outcome
	}
	for j := i; j < len(log); j++ {
		e := log[j].Event
		switch {
		case e.Kind != kind:
		case kind == event.AttemptStarted && ended(log[j:], e) != event.Passed:
		case kind == event.ProxyAnswered && outcome[e.Request] <= event.Aborted:
		default:
			return j
		}
		outcome[e.Request] = e.Outcome
	}
	panic(fmt.Sprintf("no %v after %d", kind, i))
}

// ended is the outcome of an attempt.
func ended(log []upstream.Recorded, started event.Event) event.Outcome {
	for _, r := range log {
		if e := r.Event; e.Kind == event.AttemptEnded && e.Request == started.Request && e.Try == started.Try {
			return e.Outcome
		}
	}
	return 0
}

// TestReplayKnowsTheMethods: a peer that the method wouldn't have picked is a
// difference; for a draw only one that can't be drawn is.
func TestReplayKnowsTheMethods(t *testing.T) {
	for m := range upstream.RandomTwo + 1 {
		for _, out := range []bool{false, true} {
			w := newWorld(1)
			w.cfg.Method, w.requests, w.sick, w.every, w.attempt = m, 40, 0, time.Second, time.Millisecond
			w.cfg.Servers[3].Down = true
			log := w.run()
			changed := 0
			for i := range log {
				e := &log[i].Event
				if e.Request.N != 20 || e.Peer == "" {
					continue
				}
				changed++
				switch {
				case out:
					e.Peer = "d"
				case e.Peer == "a":
					e.Peer = "b"
				default:
					e.Peer = "a"
				}
			}
			drawn := m == upstream.Random || m == upstream.RandomTwo
			got := upstream.ReplayEvents(w.cfg, log, upstream.ReplayOptions{})
			if want := out || !drawn; changed != 2 || want != (got.Different > 0) {
				t.Errorf("%v, out %v: %d events changed, %+v", m, out, changed, got)
			}
		}
	}
}
