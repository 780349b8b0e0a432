package analysis

import (
	"cmp"
	"slices"
	"time"
)

// rotation derives the stretches in which peers were out.
type rotation struct {
	crew  crew
	index index[member]
	peers []rotating
}

// member is a peer in an upstream: the same address in two upstreams is two
// peers with failures of their own. So it is in two workers that don't share
// their counters.
type member struct {
	upstream, peer string
	worker         int // 0 where all workers share
}

// crew is how many workers count for themselves, by upstream; those that aren't
// in it share.
type crew map[string]int

// member is the peer as the worker of an event sees it.
func (c crew) member(upstream, peer string, worker int) member {
	if c[upstream] == 0 {
		worker = 0
	}
	return member{upstream, peer, worker}
}

// stretch is a stretch of a member.
func (c crew) stretch(m member, from, to time.Duration) Stretch {
	return Stretch{Peer: m.peer, Upstream: m.upstream, From: from, To: to, Worker: m.worker, Workers: c[m.upstream]}
}

// recall is how many starts and marks a peer remembers for those of the other
// kind that come a little late.
const recall = 4

// ring is the last instants of one kind.
type ring struct {
	at [recall]time.Duration
	n  int // so far
}

func (r *ring) add(at time.Duration) {
	r.at[r.n%recall] = at
	r.n++
}

// from returns the earliest remembered instant that isn't before t.
func (r *ring) from(t time.Duration) (first time.Duration, ok bool) {
	for _, at := range r.at[:min(r.n, recall)] {
		if at >= t && (!ok || at < first) {
			first, ok = at, true
		}
	}
	return first, ok
}

// rotating is the state of one peer.
type rotating struct {
	starts, marks ring

	open bool
	from time.Duration

	ended    bool // a stretch was closed: [lastFrom, lastTo)
	lastFrom time.Duration
	lastTo   time.Duration
}

func (r *rotation) of(m member) *rotating {
	i := r.index.of(m)
	if i == len(r.peers) {
		r.peers = append(r.peers, rotating{})
	}
	return &r.peers[i]
}

// started takes in an attempt's start; ok is true when it closes a stretch.
//
// Only a start that is later than the mark closes it. A marked peer is out at
// least for the rest of the second (fail_timeout=0), so a start with the same
// stamp was picked before the mark, whatever order two logs give them.
func (r *rotation) started(m member, at time.Duration) (s Stretch, ok bool) {
	p := r.of(m)
	p.starts.add(at)
	if !p.open || at <= p.from {
		return Stretch{}, false
	}
	return r.close(p, m, at), true
}

func (r *rotation) close(p *rotating, m member, at time.Duration) Stretch {
	s := r.crew.stretch(m, p.from, at)
	p.open, p.ended, p.lastFrom, p.lastTo = false, true, s.From, s.To
	// A mark of the time after this start came first: it begins the next stretch.
	p.from, p.open = p.marks.from(at)
	return s
}

// marked takes in a mark; ok is true when the start that ends its stretch was
// seen already.
func (r *rotation) marked(m member, at time.Duration) (s Stretch, ok bool) {
	p := r.of(m)
	p.marks.add(at)
	if p.open {
		p.from = min(p.from, at)
		return Stretch{}, false
	}
	if p.ended && at < p.lastTo {
		return Stretch{}, false // a straggler of the stretch before
	}
	p.open, p.from = true, at
	if next, ok := p.starts.from(at + 1); ok {
		return r.close(p, m, next), true
	}
	return Stretch{}, false
}

// rest returns the stretches that are open at the end, in order.
func (r *rotation) rest(end time.Duration) []Stretch {
	var out []Stretch
	for i := range r.peers {
		if p := &r.peers[i]; p.open {
			s := r.crew.stretch(r.index.keys[i], p.from, max(end, p.from))
			s.Open = true
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b Stretch) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Upstream, b.Upstream), cmp.Compare(a.Peer, b.Peer), cmp.Compare(a.Worker, b.Worker))
	})
	return out
}
