package upstream

import (
	"cmp"
	"slices"
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
		if how := s.steps[i].want.how; how != followUnknown && how != followOn {
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

// possible says whether step i may be the next one of its request, and of its
// worker's error log.
func (s *search) possible(rd *reading, i int) bool {
	st := &s.steps[i]
	return !rd.taken(i) && (st.previous < 0 || rd.taken(st.previous)) && (st.behind < 0 || rd.taken(st.behind))
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
	if w := s.worker(st); st.want.how != followPass && st.want.how != followOn {
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
