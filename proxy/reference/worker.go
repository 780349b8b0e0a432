package reference

import (
	"strconv"
	"sync"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/proxy/upstream"
)

// worker is what an nginx worker process has to itself: its groups, unless
// they have a zone, and always its idle connections. It isn't a thread.
type worker struct {
	nodes map[*upstream.Config]*node
}

// shared is the state of one group and the lock that serialises it: of one
// worker, or of all workers when the block has a zone.
type shared struct {
	mu      sync.Mutex
	group   *upstream.Group
	witness *witness
}

// newWorkers makes the workers of a configuration.
func newWorkers(o *Options, addresses map[string]string, w *watcher) []*worker {
	fresh := func(u *upstream.Config) *shared {
		w := &witness{next: o.Sink}
		return &shared{group: upstream.NewGroup(*u, upstream.NewLogger(w)), witness: w}
	}
	zones := map[*upstream.Config]*shared{}
	for _, u := range o.Config.Upstreams {
		if u.Zone {
			zones[u] = fresh(u)
		}
	}
	out := make([]*worker, max(o.Config.WorkerProcesses, 1))
	for i := range out {
		out[i] = &worker{nodes: make(map[*upstream.Config]*node, len(o.Config.Upstreams))}
		for _, u := range o.Config.Upstreams {
			s := zones[u]
			if s == nil {
				s = fresh(u)
			}
			n := &node{shared: s, cache: upstream.NewCache(*u), watcher: w, clock: o.Clock}
			for _, server := range u.Servers {
				n.addresses = append(n.addresses, addresses[server.Name])
			}
			out[i].nodes[u] = n
		}
	}
	return out
}

// roster says which worker serves a connection, and which number it has in
// events: from 0 in order of first use, as it is read from nginx's log.
type roster struct {
	seed    uint64
	workers []*worker

	mu      sync.Mutex
	numbers map[*worker]int
}

// worker draws the worker of the n-th client connection: on nginx it is the
// kernel's choice, here the seed's.
func (r *roster) worker(n uint64) *worker {
	if len(r.workers) == 1 {
		return r.workers[0]
	}
	d := fault.Draw(r.seed, "worker", strconv.FormatUint(n, 10))
	return r.workers[int(d*float64(len(r.workers)))]
}

// number is the worker's number in events.
func (r *roster) number(w *worker) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n, ok := r.numbers[w]
	if !ok {
		n = len(r.numbers)
		r.numbers[w] = n
	}
	return n
}
