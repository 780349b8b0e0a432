package upstream

import (
	"cmp"
	"slices"
	"time"

	"github.com/nolive/nolive/harness/event"
)

// search follows every reading of one group's steps side by side, a step at a
// time: all readings of a level have taken the same number of steps.
type search struct {
	cfg       Config
	steps     []step
	opt       ReplayOptions
	namesOnce bool
	seen      capture
	level     []*reading
	next      []*reading
	byKey     map[string]*reading
	free      []*reading
	verdicts  []verdict
	result    Replay
}

// verdict is what the readings said of one step.
type verdict struct{ agreed, differed, edge bool }

// reach limits how many steps a reading looks ahead, so that a log with
// hundreds of steps within the clock error stays affordable.
const reach = 64

func newSearch(cfg Config, steps []step, opt ReplayOptions) *search {
	s := &search{cfg: cfg, steps: steps, opt: opt, namesOnce: cfg.namesOnce(), byKey: map[string]*reading{}}
	s.verdicts = make([]verdict, len(steps))
	workers := 1
	for i := range steps {
		if cfg.Zone {
			workers = max(workers, steps[i].arrival.Worker+1)
		}
	}
	first := &reading{group: *NewGroup(cfg, &s.seen), seconds: make([]int64, workers)}
	s.level = []*reading{first}
	return s
}

func (s *search) run() Replay {
	for range s.steps {
		for _, rd := range s.level {
			s.extend(rd)
		}
		if len(s.next) == 0 {
			s.differ()
		}
		s.advance()
	}
	for i := range s.verdicts {
		v := &s.verdicts[i]
		if s.steps[i].want.how != followUnknown {
			s.result.Decisions++
		}
		if v.agreed && v.differed {
			s.result.Ambiguous++
		}
		if v.edge {
			s.result.Edges++
		}
	}
	return s.result
}

// advance makes the next level the present one, nearest to the stamps first.
func (s *search) advance() {
	s.free = append(s.free, s.level...)
	slices.SortStableFunc(s.next, func(a, b *reading) int { return cmp.Compare(a.cost, b.cost) })
	if len(s.next) > s.opt.Readings {
		s.result.Cut++
		s.free = append(s.free, s.next[s.opt.Readings:]...)
		s.next = s.next[:s.opt.Readings]
	}
	s.level, s.next = s.next, s.level[:0]
	clear(s.byKey)
}

// fresh returns a copy of rd.
func (s *search) fresh(rd *reading) *reading {
	c := &reading{}
	if n := len(s.free); n > 0 {
		c, s.free = s.free[n-1], s.free[:n-1]
	}
	c.copyFrom(rd)
	return c
}

// extend takes, in copies of rd, every step that could have been the next one.
func (s *search) extend(rd *reading) {
	end := s.steps[rd.first].at + 2*s.opt.ClockError
	looked := 0
	for i := rd.first; i < len(s.steps) && s.steps[i].at <= end; i++ {
		if looked++; looked > reach {
			s.result.Cut++
			break
		}
		if !s.possible(rd, i) {
			continue
		}
		if s.harmless(rd, i) {
			// Whenever it is taken nothing else can notice, so no need to try it later.
			s.take(rd, i, []moment{{at: s.steps[i].at}}, 0)
			return
		}
	}
	looked = 0
	for i := rd.first; i < len(s.steps) && s.steps[i].at <= end; i++ {
		if looked++; looked > reach {
			break
		}
		if s.possible(rd, i) && !s.overtakesItsLike(rd, i) {
			s.take(rd, i, s.moments(rd, i), rd.overtaken(i))
		}
	}
}

// possible says whether step i may be the next one of its request.
func (s *search) possible(rd *reading, i int) bool {
	return !rd.taken(i) && (s.steps[i].previous < 0 || rd.taken(s.steps[i].previous))
}

// harmless is true for an attempt that was passed on by a peer without counted
// failures: it only gives a connection back, and that matters to max_conns
// alone. A failure within the clock error doesn't change that, because the
// opening pick between it and the release would have to be more than
// fail_timeout later.
func (s *search) harmless(rd *reading, i int) bool {
	st := &s.steps[i]
	if st.want.how != followPass || st.outcome == event.Listed {
		return false
	}
	f := rd.flight(st.request)
	if f == nil {
		return true
	}
	p := f.r.peer
	return p.MaxConns == 0 && (rd.group.single || p.MaxFails == 0 ||
		p.fails == 0 && 2*s.opt.ClockError < time.Duration(p.failTimeout)*time.Second) &&
		(st.status == 0 || statusFlag(st.status) == 0)
}

// overtakesItsLike is true when an earlier step does the same to the group and
// may be taken now too: swapping the two in any later order changes nothing,
// unless the rest of this request could come before the earlier step.
func (s *search) overtakesItsLike(rd *reading, i int) bool {
	st := &s.steps[i]
	if st.like == "" {
		return false
	}
	for j := rd.first; j < i; j++ {
		e := &s.steps[j]
		if e.like == st.like && e.arrival.Worker == st.arrival.Worker && s.possible(rd, j) &&
			(st.following < 0 || s.steps[st.following].at > e.at+2*s.opt.ClockError) {
			return true
		}
	}
	return false
}

// moments returns the ways to understand a step's stamp that rd's clock allows.
func (s *search) moments(rd *reading, i int) []moment {
	st, by := &s.steps[i], s.opt.ClockError
	if st.want.how == followPass && st.outcome != event.Listed {
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

// take takes step i in a copy of rd at each moment and keeps the copies in which
// the model decides what was recorded. cost is how far from the stamps that is,
// beside the moment's own shift.
func (s *search) take(rd *reading, i int, moments []moment, cost int) {
	st, v := &s.steps[i], &s.verdicts[i]
	edge := moments[0].shift != moments[len(moments)-1].shift
	agreed, differed, states := 0, false, ""
	for _, m := range moments {
		c := s.fresh(rd)
		if !s.decides(c, st, m) {
			v.differed, differed = true, true
			v.edge = v.edge || edge && agreed > 0
			s.free = append(s.free, c)
			continue
		}
		if edge {
			// The side mattered if it changed a peer, or if another side differed.
			state := string(c.group.identify(nil))
			v.edge = v.edge || differed || agreed > 0 && state != states
			states = state
		}
		agreed++
		v.agreed = true
		c.take(i)
		c.cost += cost + max(m.shift, -m.shift)
		s.keep(c, st, m)
	}
}

// decides takes the step in c and says whether the model did as recorded.
func (s *search) decides(c *reading, st *step, m moment) bool {
	if st.want.how == followUnknown {
		c.force(st, m.at, asRecorded)
		return true
	}
	return c.decide(st, m, &s.seen) == st.want
}

// keep adds a reading to the next level unless it is there already.
func (s *search) keep(c *reading, st *step, m moment) {
	if w := s.worker(st); st.want.how != followPass {
		c.seconds[w] = max(c.seconds[w], second(m.at))
	}
	earliest := int64(0)
	if c.first < len(s.steps) {
		earliest = second(s.steps[c.first].at - s.opt.ClockError)
	}
	c.identify(earliest, s.namesOnce)
	if twin := s.byKey[c.key]; twin != nil {
		twin.cost = min(twin.cost, c.cost)
		s.free = append(s.free, c)
		return
	}
	s.byKey[c.key] = c
	s.next = append(s.next, c)
}

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
	if st.want.how != followTry || rd.group.single {
		return
	}
	before := s.fresh(rd)
	for range s.cfg.Servers {
		var nobody bitmap
		before.group.primary.pick(&nobody, second(m.at))
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
