package upstream

import (
	"time"

	"github.com/nolive/nolive/harness/event"
)

// harmless is true for an attempt that was passed on by a peer without counted
// failures: it only gives a connection back, and that matters to max_conns
// alone. A failure within the clock error doesn't change that, because the
// opening pick between it and the release would have to be more than
// fail_timeout later.
func (s *search) harmless(rd *reading, i int) bool {
	st := &s.steps[i]
	if st.want.how != followOn && (st.want.how != followPass || st.outcome == event.Listed) {
		return false
	}
	f := rd.flight(st.request)
	if f == nil {
		return true
	}
	p := f.r.peer
	return p.MaxConns == 0 && !s.cfg.Method.counts() && (rd.group.single || p.MaxFails == 0 ||
		p.fails == 0 && 2*s.opt.ClockError < time.Duration(p.failTimeout)*time.Second) &&
		(st.status == 0 || statusFlag(st.status) == 0)
}

// overtakesItsLike is true when an earlier step does the same to the group and
// may be taken now too: swapping the two in any later order changes nothing,
// unless the rest of this request could come before the earlier step, or what the
// error log has behind this one.
func (s *search) overtakesItsLike(rd *reading, i int) bool {
	st := &s.steps[i]
	if st.like == "" {
		return false
	}
	for j := rd.first; j < i; j++ {
		e := &s.steps[j]
		if e.like == st.like && (st.order == 0 || e.order != 0) && e.arrival.Worker == st.arrival.Worker && s.possible(rd, j) &&
			(st.following < 0 || s.steps[st.following].at > e.at+2*s.opt.ClockError) {
			return true
		}
	}
	return false
}
