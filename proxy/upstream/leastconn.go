package upstream

// pickLeastConn takes the peer with the fewest attempts in flight for its
// weight; among equals it is round robin, and only they are moved
// (ngx_http_upstream_get_least_conn_peer). So a peer that is alone at the
// bottom leaves the weights as they are, and an idle group is round robin.
func (s *set) pickLeastConn(tried *bitmap, now int64) (best *peer, position int) {
	position, many := -1, false
	for i := range s.peers {
		p := &s.peers[i]
		if !s.may(i, tried, now) {
			continue
		}
		switch {
		case best == nil || p.conns*best.Weight < best.conns*p.Weight:
			best, position, many = p, i, false
		case p.conns*best.Weight == best.conns*p.Weight:
			many = true
		}
	}
	if best == nil {
		return nil, -1
	}
	if many {
		total, first := 0, best
		for i := position; i < len(s.peers); i++ {
			p := &s.peers[i]
			if p.conns*first.Weight != first.conns*p.Weight || !s.may(i, tried, now) {
				continue
			}
			total += p.advance()
			if p.current > best.current {
				best, position = p, i
			}
		}
		best.current -= total
	}
	best.stamp(now)
	return best, position
}
