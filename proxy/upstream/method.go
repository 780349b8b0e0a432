package upstream

// Method is how a block picks a peer. The zero value is nginx's default.
type Method uint8

// The methods, and the directives that ask for them.
const (
	RoundRobin     Method = iota
	LeastConn             // least_conn
	IPHash                // ip_hash
	Hash                  // hash KEY
	ConsistentHash        // hash KEY consistent
	Random                // random
	RandomTwo             // random two [least_conn]
)

// String is the directive, with KEY for the key.
func (m Method) String() string {
	return [...]string{"round robin", "least_conn", "ip_hash", "hash KEY", "hash KEY consistent", "random", "random two"}[m]
}

// counts says whether the attempts in flight decide who is picked, also without
// max_conns.
func (m Method) counts() bool { return m == LeastConn || m == RandomTwo }

// draws says whether chance decides.
func (m Method) draws() bool { return m == Random || m == RandomTwo }

// remembers says whether a request carries something of its method from pick to pick.
func (m Method) remembers() bool { return m >= IPHash }

// maxMisses is how many ineligible peers a request bears from its method, over
// all its attempts, before it goes by round robin for good.
const maxMisses = 20

// balancing is what a request's method remembers from pick to pick.
type balancing struct {
	key    string
	client []byte
	seed   uint64
	hash   uint32
	rehash uint32
	misses int
	draws  uint64
}

// prepare is what the methods do before the first pick.
func (r *Request) prepare(a *Arrival) {
	r.balancing = balancing{key: a.Key, client: a.ClientAddr, seed: a.Seed}
	switch r.group.cfg.Method {
	case IPHash:
		r.hash = ipHashStart
	case ConsistentHash:
		r.hash = r.group.ring.find(crc(0, a.Key))
	}
}

// choose picks by the group's method, and by round robin where the method gives
// up: after too many misses, with an empty key, and among backups, which hash,
// ip_hash and random don't know. A block whose backups come before such a
// directive has some all the same.
func (r *Request) choose(s *set, now int64) (*peer, int) {
	if len(s.peers) == 0 {
		return nil, -1
	}
	m := r.group.cfg.Method
	if m == LeastConn {
		return s.pickLeastConn(&r.tried, now)
	}
	if m == ConsistentHash && !r.backup && r.group.cfg.Version.SearchesWholeRing() {
		return r.pickRing(s, now)
	}
	if !r.backup && r.misses <= maxMisses {
		var p *peer
		i := -1
		switch m {
		case IPHash:
			p, i = r.pickIPHash(s, now)
		case Hash:
			p, i = r.pickHash(s, now)
		case ConsistentHash:
			p, i = r.pickRing(s, now)
		case Random:
			p, i = r.pickRandom(s, now)
		case RandomTwo:
			p, i = r.pickRandomTwo(s, now)
		}
		if p != nil {
			return p, i
		}
	}
	return s.pick(&r.tried, now)
}

// miss counts an ineligible peer and says whether that was one too many.
func (r *Request) miss() bool {
	r.misses++
	return r.misses > maxMisses
}

// may says whether this request may be given peer i.
func (s *set) may(i int, tried *bitmap, now int64) bool {
	p := &s.peers[i]
	return !tried.has(i) && !p.Down && !p.out(now) && !p.full()
}

// within is the peer into whose share of the total weight x falls.
func (s *set) within(x uint64) int {
	i, j := 0, len(s.ends)
	for j-i > 1 {
		if k := (i + j) / 2; x < s.ends[k-1] {
			j = k
		} else {
			i = k
		}
	}
	return i
}

// total is the sum of all weights, down or not.
func (s *set) total() uint64 { return s.ends[len(s.ends)-1] }
