package upstream

import (
	"time"

	"github.com/nolive/nolive/harness/event"
)

// decide takes a step in rd as the model would and returns what follows by the
// model. The request and its peer are in rd only as long as an attempt runs.
func (rd *reading) decide(st *step, m moment, seen *capture) follow {
	seen.marked = false
	if rd.group.cfg.Method.draws() {
		rd.group.steering = &steering{peer: st.want.peer}
	}
	var d Decision
	if st.try == 0 {
		rd.flights = append(rd.flights, flying{number: st.request, began: st.at})
		d = rd.flight(st.request).r.Begin(&rd.group, nil, st.arrival, m.at)
		return rd.followed(st, d, seen)
	}
	f := rd.flight(st.request)
	if f == nil {
		return st.want // what this attempt began with wasn't recorded
	}
	f.prepare(st, m)
	r := &f.r
	if st.connected {
		r.Connected(m.at)
		return st.want
	}
	switch st.outcome {
	case event.Listed:
		d = r.Header(m.at, st.status)
	case event.Relayed:
		r.Relayed(m.at, 0)
		rd.land(st.request)
		return follow{how: followPass}
	case event.Passed, event.Truncated, event.Aborted:
		// When the header came isn't recorded; if it could be listed as late as
		// this, it could be then.
		if st.status == 0 || !r.listed(statusFlag(st.status), m.at) {
			r.End(m.at, st.outcome, st.status)
			rd.land(st.request)
			return follow{how: followPass}
		}
		d = r.Header(m.at, st.status)
	default:
		d = r.Fail(m.at, st.outcome)
	}
	if d.Action == Answer && r.peer != nil && st.again {
		// An error page took the place of the answer and asked here again at once.
		f.began = st.at
		arrival := st.arrival
		arrival.Before = st.try
		d = r.Begin(&rd.group, nil, arrival, m.at)
	}
	return rd.followed(st, d, seen)
}

// prepare sets what the record knows better than the model, and puts the start
// where the moment's side of the limit wants it.
func (f *flying) prepare(st *step, m moment) {
	f.r.conn = 0
	if st.cached {
		f.r.conn = 1
	}
	f.r.gone = st.gone
	switch m.limit {
	case limitAsStamped:
		f.r.start = f.began
	case limitBefore:
		f.r.start = m.at
	case limitReached:
		f.r.start = m.at - f.r.policy.Timeout
	}
}

// followed translates a decision.
func (rd *reading) followed(st *step, d Decision, seen *capture) follow {
	f := follow{mark: seen.marked}
	switch d.Action {
	case Try:
		f.how, f.peer = followTry, rd.group.cfg.Servers[d.Peer].Name
		return f
	case Pass:
		f.how = followPass
	case Answer:
		f.how, f.status = followAnswer, d.Status
		if rd.flight(st.request).r.peer == nil {
			f.how, f.status = followNoLive, 0
		}
	}
	rd.land(st.request)
	return f
}

// forcing is a way to go on after a difference; see ReplayEvents.
type forcing uint8

const (
	asRecorded forcing = iota
	asModel
)

// force takes a step in rd as it was recorded, whatever the model thinks.
func (rd *reading) force(st *step, now time.Duration, by forcing) {
	rd.group.steering = nil
	if st.try == 0 {
		rd.flights = append(rd.flights, flying{number: st.request, began: st.at})
		r := &rd.flight(st.request).r
		// Begin on an idle copy sets the request up without moving the peers.
		empty := Group{cfg: rd.group.cfg, ring: rd.group.ring, live: rd.group.live, sink: event.Discard}
		r.Begin(&empty, nil, st.arrival, st.at)
		r.group, r.peer = &rd.group, nil
		rd.forceNext(st, r, now, by)
		return
	}
	f := rd.flight(st.request)
	if f == nil {
		return
	}
	f.prepare(st, moment{at: now})
	r := &f.r
	if st.connected {
		r.Connected(now)
		return
	}
	how := passed
	switch st.outcome {
	case event.Listed:
		how = failed
		if f := statusFlag(st.status); f == HTTP403 || f == HTTP404 {
			how = next
		}
	case event.Passed, event.Truncated, event.Aborted, event.Relayed:
	default:
		how = failed
		if f, _ := failure(st.outcome); f == Error && st.cached {
			r.tries++
		}
	}
	p := r.peer
	r.letGo(now, how)
	if how == failed && by == asRecorded && p.MaxFails > 0 && !rd.group.single {
		if st.want.mark {
			p.fails = max(p.fails, p.MaxFails)
		} else {
			p.fails = min(p.fails, p.MaxFails-1)
		}
	}
	rd.forceNext(st, r, now, by)
}

// forceNext lets the recorded peer win the next pick, or ends the request.
func (rd *reading) forceNext(st *step, r *Request, now time.Duration, by forcing) {
	var p *peer
	if st.want.how == followTry {
		p = rd.forced(r, st.want.peer)
	}
	if p == nil {
		rd.land(st.request)
		return
	}
	r.tries = max(r.tries, 1)
	if p.Backup && !r.backup {
		r.backup, r.tried = true, r.tried.emptied()
	}
	if !rd.group.single {
		s := &rd.group.primary
		if p.Backup {
			s = &rd.group.backup
		}
		if by == asModel {
			r.choose(s, second(now))
			r.tried.add(s.position(p))
		} else {
			r.tried.add(r.forcePick(s, p, second(now)))
		}
	}
	p.conns++
	r.try++
	r.peer = p
}

// forced is the peer of that name that r hasn't tried, or any, or nil.
func (rd *reading) forced(r *Request, name string) (found *peer) {
	for _, s := range []*set{&rd.group.primary, &rd.group.backup} {
		for i := range s.peers {
			p := &s.peers[i]
			if p.Name != name {
				continue
			}
			if found == nil {
				found = p
			}
			if p.Backup == r.backup && !r.tried.has(i) {
				return p
			}
		}
	}
	return found
}

// position is where p stands in s.
func (s *set) position(p *peer) int {
	for i := range s.peers {
		if &s.peers[i] == p {
			return i
		}
	}
	return -1
}

// forcePick is choose with its winner given.
func (r *Request) forcePick(s *set, winner *peer, now int64) (position int) {
	total := 0
	for i := range s.peers {
		p := &s.peers[i]
		if p == winner {
			position = i
		} else if !s.may(i, &r.tried, now) {
			continue
		}
		if !r.moves(p, winner) {
			continue
		}
		total += p.advance()
	}
	winner.current -= total
	winner.stamp(now)
	return position
}

// moves says whether a pick of winner moves p's weight.
func (r *Request) moves(p, winner *peer) bool {
	switch m := r.group.cfg.Method; {
	case m == LeastConn:
		return p.conns*winner.Weight == winner.conns*p.Weight
	case m == RoundRobin, r.backup, r.misses > maxMisses:
		return true
	case m == ConsistentHash:
		return p.server == winner.server
	}
	return false
}
