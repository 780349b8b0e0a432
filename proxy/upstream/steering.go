package upstream

// steering tells `random` whom its draws fell on in a recorded run.
type steering struct {
	// peer is who was tried, "" for nobody.
	peer string
}

// steered picks the recorded peer if chance could have given it, else one that
// it could have given. Where round robin may have taken over after the misses,
// that peer may be any eligible one: how often it took over before, and so where
// its weights stand, nobody can know from a log. They aren't moved.
func (r *Request) steered(s *set, now int64, st *steering) (*peer, int) {
	missable := r.missable(s, now)
	found := -1
	for i := range s.peers {
		if missable && !s.may(i, &r.tried, now) || !missable && !r.drawable(s, i, now) {
			continue
		}
		if found < 0 || s.peers[found].Name != st.peer {
			found = i
		}
	}
	if found < 0 {
		r.misses = maxMisses + 1
		return nil, -1
	}
	s.peers[found].stamp(now)
	return &s.peers[found], found
}

// drawable says whether draws can end with peer i: for `two` somebody else has
// to be there whom it isn't busier than.
func (r *Request) drawable(s *set, i int, now int64) bool {
	if !s.may(i, &r.tried, now) {
		return false
	}
	if r.group.cfg.Method == Random {
		return true
	}
	for j := range s.peers {
		if j != i && s.may(j, &r.tried, now) && !s.peers[i].busier(&s.peers[j]) {
			return true
		}
	}
	return false
}

// missable says whether it is likely enough to be believed that the draws of a
// pick all missed: more than half of the weight doesn't help. The 21 draws of one
// pick then miss once in two million.
func (r *Request) missable(s *set, now int64) bool {
	helps, most := uint64(0), uint64(0)
	for i := range s.peers {
		if s.may(i, &r.tried, now) {
			w := uint64(s.peers[i].Weight)
			helps += w
			most = max(most, w)
		}
	}
	if r.group.cfg.Method == RandomTwo {
		helps -= most // that one may be the first of the two
	}
	return 2*helps < s.total()
}
