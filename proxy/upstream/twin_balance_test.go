package upstream_test

import (
	"hash/crc32"
	"sort"
	"strconv"
	"strings"

	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/upstream"
)

// twinKnows is what a request shows of itself, and what its method remembers.
type twinKnows struct {
	key    string
	octets []byte
	seed   uint64
	id     event.Request

	tries  int // nginx's counter of misses
	hash   uint32
	start  bool // hash has its first value
	rehash int
	drawn  uint64
}

// choose is the get of the block's method.
func (r *twinRequest) choose(peers []*twinPeer, now int64) *twinPeer {
	switch r.t.method {
	case upstream.LeastConn:
		return r.leastConn(peers, now)
	case upstream.IPHash, upstream.Hash, upstream.ConsistentHash, upstream.Random, upstream.RandomTwo:
	default:
		return r.pick(peers, now)
	}
	hashed := r.t.method == upstream.Hash || r.t.method == upstream.ConsistentHash
	if r.know.tries > 20 || hashed && r.know.key == "" {
		return r.pick(peers, now)
	}
	var first *twinPeer
	for {
		var candidates []*twinPeer
		switch r.t.method {
		case upstream.IPHash, upstream.Hash:
			candidates = []*twinPeer{r.slot(peers, r.number())}
		case upstream.ConsistentHash:
			candidates = r.onRing(peers)
		default:
			r.know.drawn++
			candidates = []*twinPeer{r.slot(peers, upstream.Draw(r.know.seed, r.know.id, r.know.drawn))}
		}
		var able []*twinPeer
		for _, p := range candidates {
			if r.able(p, now) && p != first {
				able = append(able, p)
			}
		}
		switch {
		case len(able) == 0:
		case r.t.method == upstream.RandomTwo && first == nil:
			first = able[0]
			continue
		case r.t.method == upstream.RandomTwo && able[0].conns*first.weight > first.conns*able[0].weight:
			return r.take(first, now)
		case r.t.method == upstream.ConsistentHash:
			return r.pick(able, now)
		default:
			return r.take(able[0], now)
		}
		r.know.tries++
		if r.know.tries > 20 {
			return r.pick(peers, now)
		}
		if r.t.method == upstream.ConsistentHash {
			r.know.hash++
		}
	}
}

func (r *twinRequest) able(p *twinPeer, now int64) bool {
	return !r.tried[p] && !p.down && !(p.maxFails > 0 && p.fails >= p.maxFails && now-p.checked <= p.failTimeout) &&
		(p.maxConns == 0 || p.conns < p.maxConns)
}

func (r *twinRequest) take(p *twinPeer, now int64) *twinPeer {
	r.tried[p] = true
	if now-p.checked > p.failTimeout {
		p.checked = now
	}
	return p
}

// leastConn is round robin among those that nobody else is less busy than; a
// single one is taken without it.
func (r *twinRequest) leastConn(peers []*twinPeer, now int64) *twinPeer {
	var least []*twinPeer
	for _, p := range peers {
		beaten := !r.able(p, now)
		for _, q := range peers {
			beaten = beaten || r.able(q, now) && float64(q.conns)/float64(q.weight) < float64(p.conns)/float64(p.weight)
		}
		if !beaten {
			least = append(least, p)
		}
	}
	if len(least) == 1 {
		return r.take(least[0], now)
	}
	return r.pick(least, now)
}

// slot lays the peers out, each as often as it weighs, and takes the n-th.
func (r *twinRequest) slot(peers []*twinPeer, n uint64) *twinPeer {
	var slots []*twinPeer
	for _, p := range peers {
		for range p.weight {
			slots = append(slots, p)
		}
	}
	return slots[n%uint64(len(slots))]
}

// number is the next hash of ip_hash and hash.
func (r *twinRequest) number() uint64 {
	k := &r.know
	if r.t.method == upstream.IPHash {
		if !k.start {
			k.hash, k.start = 89, true
		}
		octets := k.octets
		if len(octets) == 4 {
			octets = octets[:3]
		} else if len(octets) == 0 {
			octets = make([]byte, 3)
		}
		for _, o := range octets {
			k.hash = (k.hash*113 + uint32(o)) % 6271
		}
		return uint64(k.hash)
	}
	text := k.key
	if k.rehash > 0 {
		text = strconv.Itoa(k.rehash) + text
	}
	k.rehash++
	k.hash += crc32.ChecksumIEEE([]byte(text)) >> 16 & 0x7fff
	return uint64(k.hash)
}

// onRing are the peers of the ring's present server. The ring is made anew every
// time, from nothing but its definition.
func (r *twinRequest) onRing(peers []*twinPeer) []*twinPeer {
	owner, first := map[uint32]string{}, map[uint32]bool{}
	var points []uint32
	for _, p := range peers {
		host, port, _ := strings.Cut(p.name, ":")
		last := []byte{0, 0, 0, 0}
		for range 160 * p.weight {
			h := crc32.ChecksumIEEE([]byte(host + "\x00" + port + string(last)))
			if !first[h] {
				first[h], owner[h] = true, p.name
				points = append(points, h)
			}
			last = []byte{byte(h), byte(h >> 8), byte(h >> 16), byte(h >> 24)}
		}
	}
	sort.Slice(points, func(i, j int) bool { return points[i] < points[j] })
	k := &r.know
	if !k.start {
		h := crc32.ChecksumIEEE([]byte(k.key))
		k.hash, k.start = uint32(sort.Search(len(points), func(i int) bool { return points[i] >= h })), true
	}
	name := owner[points[int(k.hash)%len(points)]]
	var out []*twinPeer
	for _, p := range peers {
		if p.name == name {
			out = append(out, p)
		}
	}
	return out
}
