package upstream

import "github.com/nolive/nolive/harness/event"

// Draw is the n-th draw of a request, from 1: the twin has to be told.
func Draw(seed uint64, id event.Request, n uint64) uint64 {
	r := Request{id: id, balancing: balancing{seed: seed, draws: n - 1}}
	return r.draw()
}
