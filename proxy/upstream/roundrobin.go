package upstream

// pick is smooth weighted round robin over the peers that are eligible for this
// request (ngx_http_upstream_get_peer). Every pick moves every eligible peer;
// peers passed over keep stale weights. Ties go to the earlier peer.
func (s *set) pick(tried *bitmap, now int64) (best *peer, position int) {
	total := 0
	for i := range s.peers {
		p := &s.peers[i]
		if tried.has(i) || p.Down || p.out(now) || p.full() {
			continue
		}
		total += p.advance()
		if best == nil || p.current > best.current {
			best, position = p, i
		}
	}
	if best == nil {
		return nil, -1
	}
	best.current -= total
	best.stamp(now)
	return best, position
}

// advance moves the peer's weight in a pick in which it takes part, and returns by how
// much. The effective weight climbs after it was used: a peer that comes back with 0
// adds 0 to its first pass, so its probe isn't the first request after the penalty.
func (p *peer) advance() int {
	by := p.effective
	p.current += by
	if by < p.Weight {
		p.effective++
	}
	return by
}

// stamp notes an opening pick. It makes a marked peer ineligible to others for
// another fail_timeout, so one probe starts a period, and it opens the window
// in which a success clears the failures.
func (p *peer) stamp(now int64) {
	if now-p.checked > p.failTimeout {
		p.checked = now
	}
}

// failed counts a failure at its completion (ngx_http_upstream_free_round_robin_peer)
// and says whether nginx logs "upstream server temporarily disabled".
func (p *peer) failed(now int64) (disabled bool) {
	p.fails++
	p.accessed, p.checked = now, now
	if p.MaxFails != 0 {
		// Integer division: with weight 1 and max_fails 2 nothing is taken.
		p.effective -= p.Weight / p.MaxFails
		disabled = p.fails >= p.MaxFails
	}
	p.effective = max(p.effective, 0)
	return disabled
}

// forgive clears the failures of the peers that a request looked through in vain:
// the backup ones alone when it had gone over to them before. Nothing else of a
// peer changes (ngx_http_upstream_get_round_robin_peer up to 1.11.4).
func (g *Group) forgive(backupOnly bool) {
	sets := []*set{&g.primary, &g.backup}
	if backupOnly {
		sets = sets[1:]
	}
	for _, s := range sets {
		for i := range s.peers {
			s.peers[i].fails = 0
		}
	}
}

// passed is every release that isn't a failure: also an abort, a truncated
// body, a listed 404. It clears the failures only when a pick opened the window
// after the last failure, strictly and in whole seconds.
func (p *peer) passed() {
	if p.accessed < p.checked {
		p.fails = 0
	}
}
