package upstream_test

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/upstream"
)

// world makes logs: requests at random instants, backends that fail at random,
// decided by the model. Everything follows from the seed.
type world struct {
	rnd      *rand.Rand
	cfg      upstream.Config
	policy   upstream.Policy
	workers  int
	requests int
	every    time.Duration     // mean gap between requests
	attempt  time.Duration     // mean length of an attempt
	sick     float64           // share of attempts that fail
	gone     float64           // share of those whose client has left by then
	kept     []*upstream.Cache // per worker, nil without keepalive
	conns    upstream.ConnID
	log      []upstream.Recorded
	now      time.Duration
	todo     []due
	arrival  upstream.Arrival // of whoever acts
}

func newWorld(seed uint64) *world {
	return &world{
		rnd: rand.New(rand.NewPCG(seed, 1)), workers: 1, requests: 300,
		every: 50 * time.Millisecond, attempt: 100 * time.Millisecond, sick: 0.1,
		cfg: upstream.Config{Name: "u", Servers: []upstream.Server{
			server("a", 2), server("b", 2), server("c", 1), server("d", 1),
		}},
	}
}

// server is a peer with a short penalty and the given max_fails.
func server(name string, maxFails int) upstream.Server {
	s := upstream.NewServer(name)
	s.MaxFails, s.FailTimeout = maxFails, 2*time.Second
	return s
}

// random is an exponential duration of the given mean.
func (w *world) random(mean time.Duration) time.Duration {
	return time.Duration(w.rnd.ExpFloat64() * float64(mean))
}

func (w *world) at(t time.Duration, do func()) {
	i := len(w.todo)
	for i > 0 && w.todo[i-1].at > t {
		i--
	}
	w.todo = append(w.todo, due{})
	copy(w.todo[i+1:], w.todo[i:])
	w.todo[i] = due{t, do}
}

// run returns the log.
func (w *world) run() []upstream.Recorded {
	sink := event.SinkFunc(func(e event.Event) {
		w.log = append(w.log, upstream.Recorded{Event: e, Arrival: w.arrival})
	})
	groups := make([]*upstream.Group, w.workers)
	w.kept = make([]*upstream.Cache, w.workers)
	for i := range groups {
		w.kept[i] = upstream.NewCache(w.cfg)
		groups[i] = upstream.NewGroup(w.cfg, sink)
		if w.cfg.Zone {
			groups[i] = groups[0]
		}
	}
	t := 100 * time.Millisecond
	for n := range w.requests {
		a := upstream.Arrival{
			ID: event.Request{Traffic: "w", N: n + 1}, Method: "GET", Policy: w.policy, Worker: w.rnd.IntN(w.workers),
			Key: fmt.Sprint("key ", n%7), ClientAddr: []byte{10, byte(n % 5), 3, 4}, Seed: 1,
		}
		if w.rnd.IntN(4) == 0 {
			a.Method = "POST"
		}
		w.at(t, func() {
			r := &upstream.Request{}
			w.arrival = a
			w.follow(a, r, r.Begin(groups[a.Worker], w.kept[a.Worker], a, w.now), 0)
		})
		t += w.random(w.every)
	}
	for len(w.todo) > 0 {
		d := w.todo[0]
		w.todo = w.todo[1:]
		w.now = d.at
		d.do()
	}
	return w.log
}

// follow carries out a decision; peer is where the running attempt is.
func (w *world) follow(a upstream.Arrival, r *upstream.Request, d upstream.Decision, peer int) {
	w.arrival = a
	switch d.Action {
	case upstream.Answer:
		w.answered(a, d.Status)
	case upstream.Pass:
		w.at(w.now+w.random(w.attempt), func() {
			o := []event.Outcome{event.Passed, event.Passed, event.Truncated, event.Aborted}[w.rnd.IntN(4)]
			w.arrival = a
			if c := w.kept[a.Worker]; c != nil && o == event.Passed {
				w.conns++
				c.Store(upstream.Served{Conn: w.conns, Peer: peer, Requests: 1, Opened: w.now}, w.now)
			}
			r.End(w.now, o, d.Status)
			w.answered(a, d.Status)
		})
	case upstream.Try:
		w.at(w.now+w.random(w.attempt), func() {
			w.arrival = a
			switch {
			case w.rnd.Float64() >= w.sick:
				w.follow(a, r, r.Header(w.now, 200), d.Peer)
			case w.gone > 0 && w.rnd.Float64() < w.gone:
				r.Gone()
				w.follow(a, r, r.Fail(w.now, event.Reset), d.Peer)
			case w.rnd.IntN(3) == 0:
				w.follow(a, r, r.Header(w.now, []int{404, 503}[w.rnd.IntN(2)]), d.Peer)
			default:
				w.follow(a, r, r.Fail(w.now, []event.Outcome{event.Refused, event.ReadTimeout, event.Reset, event.InvalidHeader}[w.rnd.IntN(4)]), d.Peer)
			}
		})
	}
}

func (w *world) answered(a upstream.Arrival, status int) {
	w.log = append(w.log, upstream.Recorded{Arrival: a, Event: event.Event{
		At: w.now, Kind: event.ProxyAnswered, Request: a.ID, Worker: a.Worker, Status: status,
	}})
}

// jitter returns the log with every instant moved by up to by either way. The
// events of one instant of one request are one step of the proxy and move together.
func (w *world) jitter(log []upstream.Recorded, by time.Duration) []upstream.Recorded {
	type instant struct {
		request event.Request
		at      time.Duration
	}
	moved := map[instant]time.Duration{}
	out := make([]upstream.Recorded, len(log))
	for i, r := range log {
		k := instant{r.Event.Request, r.Event.At}
		if _, ok := moved[k]; !ok {
			moved[k] = k.at + time.Duration(w.rnd.Int64N(int64(2*by)+1)) - by
		}
		r.Event.At = moved[k]
		out[i] = r
	}
	return out
}
