package upstream

// nginx draws with random(), which nobody can foresee. Here a draw is keyed by
// the seed, the request and the draw's number, so that a run can be repeated and
// a request gets the same draws on every engine that has the seed. The replay of
// a recorded run takes any peer that a draw could have given; see steering.

// pickRandom draws by weight until the peer is eligible
// (ngx_http_upstream_get_random_peer). Weights aren't moved.
func (r *Request) pickRandom(s *set, now int64) (*peer, int) {
	if st := r.group.steering; st != nil {
		return r.steered(s, now, st)
	}
	for {
		if i := s.within(r.draw() % s.total()); s.may(i, &r.tried, now) {
			s.peers[i].stamp(now)
			return &s.peers[i], i
		}
		if r.miss() {
			return nil, -1
		}
	}
}

// pickRandomTwo draws two different eligible peers and takes the one with fewer
// attempts in flight for its weight, of equals the second
// (ngx_http_upstream_get_random2_peer). With one eligible peer left the second
// draw never succeeds, and round robin takes over after the misses.
func (r *Request) pickRandomTwo(s *set, now int64) (*peer, int) {
	if st := r.group.steering; st != nil {
		return r.steered(s, now, st)
	}
	first := -1
	for {
		i := s.within(r.draw() % s.total())
		if i != first && s.may(i, &r.tried, now) {
			if first < 0 {
				first = i
				continue
			}
			if s.peers[i].busier(&s.peers[first]) {
				i = first
			}
			s.peers[i].stamp(now)
			return &s.peers[i], i
		}
		if r.miss() {
			return nil, -1
		}
	}
}

// busier says whether p has more attempts in flight for its weight than q.
func (p *peer) busier(q *peer) bool { return p.conns*q.Weight > q.conns*p.Weight }

// draw is the request's next draw. The mixing is that of splitmix64 (Steele,
// Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014).
func (r *Request) draw() uint64 {
	r.draws++
	x := mix(r.seed)
	for i := range len(r.id.Traffic) {
		x = mix(x + uint64(r.id.Traffic[i]))
	}
	return mix(mix(x+uint64(r.id.N)) + r.draws)
}

func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
