package upstream

import (
	"time"

	"github.com/nolive/nolive/harness/event"
)

// moment is one way to understand a step's stamp.
type moment struct {
	at    time.Duration
	limit limitSide
	shift int // seconds from the stamp as it stands
}

// limitSide says on which side of proxy_next_upstream_timeout a moment lies.
type limitSide uint8

const (
	limitAsStamped limitSide = iota
	limitBefore
	limitReached
)

// moments returns the ways to understand a step's stamp that rd's clock allows.
func (s *search) moments(rd *reading, i int) []moment {
	st, by := &s.steps[i], s.opt.ClockError
	if st.want.how == followOn || st.want.how == followPass && st.outcome != event.Listed {
		return s.limits(rd, st, []moment{{at: st.at}}) // no clock is looked at
	}
	clock := rd.seconds[s.worker(st)]
	var out []moment
	nominal := second(st.at)
	for sec := second(st.at - by); sec <= second(st.at+by); sec++ {
		if sec < clock {
			continue
		}
		m := moment{at: st.at, shift: int(sec - nominal)}
		switch {
		case m.shift < 0:
			m.at = time.Duration(sec-epoch+1)*time.Second - 1
		case m.shift > 0:
			m.at = time.Duration(sec-epoch) * time.Second
		}
		out = append(out, m)
	}
	if len(out) == 0 {
		// Stamps moved up behind an earlier one of the request; take the clock's second.
		out = append(out, moment{at: time.Duration(clock-epoch) * time.Second, shift: int(clock - nominal)})
	}
	return s.limits(rd, st, out)
}

// limits doubles the moments that lie about proxy_next_upstream_timeout.
func (s *search) limits(rd *reading, st *step, in []moment) []moment {
	limit := st.arrival.Policy.Timeout
	f := rd.flight(st.request)
	if limit == 0 || st.try == 0 || f == nil {
		return in
	}
	if off := st.at - f.began - limit; off > 2*s.opt.ClockError || off < -2*s.opt.ClockError {
		return in
	}
	var out []moment
	for _, m := range in {
		for _, side := range []limitSide{limitBefore, limitReached} {
			m.limit = side
			out = append(out, m)
		}
	}
	return out
}

// worker is the index of the step's worker in reading.seconds.
func (s *search) worker(st *step) int {
	if s.cfg.Zone {
		return st.arrival.Worker
	}
	return 0
}
