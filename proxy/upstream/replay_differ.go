package upstream

import "time"

// differ notes that no reading explains what came next, and goes on with the
// reading nearest to the stamps by forcing its next step.
func (s *search) differ() {
	rd := s.level[0]
	i := rd.first
	st := &s.steps[i]
	s.result.Different++
	model := s.fresh(rd)
	m := moment{at: max(st.at, time.Duration(rd.seconds[s.worker(st)]-epoch)*time.Second)}
	got := model.decide(st, m, &s.seen)
	if s.result.First == nil {
		s.result.First = &Difference{
			At: st.at, Request: st.arrival.ID, Try: st.try, What: st.what(),
			Model: got.describe(st.peer), Recorded: st.want.describe(st.peer),
			ModelPeer: got.peer, RecordedPeer: st.want.peer,
			Before: rd.group.State(m.at), After: model.group.State(m.at),
		}
	}
	s.free = append(s.free, model)
	for _, by := range []forcing{asRecorded, asModel} {
		c := s.fresh(rd)
		c.force(st, m.at, by)
		c.take(i)
		s.keep(c, st, m)
	}
	s.lost(rd, i, m)
}

// lost follows the readings in which requests that aren't in the log had picks
// just before step i, so many that the model then does as recorded.
func (s *search) lost(rd *reading, i int, m moment) {
	st := &s.steps[i]
	if st.want.how != followTry || rd.group.single || s.cfg.Method.remembers() {
		return
	}
	before := s.fresh(rd)
	for range s.cfg.Servers {
		somebody := Request{group: &before.group}
		somebody.choose(&before.group.primary, second(m.at))
		c := s.fresh(before)
		if c.decide(st, m, &s.seen) != st.want {
			s.free = append(s.free, c)
			continue
		}
		c.take(i)
		s.keep(c, st, m)
	}
	s.free = append(s.free, before)
}
