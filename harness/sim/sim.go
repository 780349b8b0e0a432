package sim

import (
	"context"
	"fmt"
	"time"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/plan"
	"github.com/nolive/nolive/proxy/upstream"
)

// Options say what to run.
type Options struct {
	Plan *plan.Plan
	// Sink gets every event, in order of time.
	Sink event.Sink
	// Progress, when set, is called now and then with the scenario time reached.
	Progress func(now time.Duration)
}

// Sim is one run in virtual time.
type Sim struct {
	queue
	now      time.Duration
	plan     *plan.Plan
	sink     event.Sink
	workers  []worker
	backends map[string]*backend
	traffic  []*traffic
	free     []*flight
	// open counts users and open loops that may still send; active counts
	// requests under way. The run is over when both are 0.
	open, active int
	connections  int   // client connections so far
	used         []int // workers in order of first use

	// facts is what rules may look at of the exchange read, one for all, so that
	// an exchange costs no memory.
	facts fault.Exchange
	read  *exchange
	// readings are what was found of scripts so far.
	readings    map[readingKey]*reading
	lastKey     readingKey
	lastReading *reading
	clients     clients
}

// Run simulates the plan and returns the scenario time at which everybody had
// an answer. It fails for a configuration that the model doesn't cover, and
// with ctx's error when that ends first.
func Run(ctx context.Context, o Options) (time.Duration, error) {
	s := &Sim{plan: o.Plan, sink: upstream.NewLogger(o.Sink), backends: map[string]*backend{}}
	cfg := o.Plan.Scenario.Nginx
	if len(cfg.NginxOnly) > 0 {
		n := cfg.NginxOnly[0]
		return 0, fmt.Errorf("%v: %s", n.Pos, n.Text)
	}
	s.facts.Draw, s.facts.Length = s.draw, s.length
	for _, b := range o.Plan.Scenario.Backends {
		s.backends[b.Name] = &backend{name: b.Name, rules: b.Rules, doors: b.Rules.DoorChanges(), backlog: b.Backlog, unix: b.Unix(), limit: limitOf(b.Rules), seed: o.Plan.Seed}
	}
	s.workers = newWorkers(cfg, s.backends, s.sink)
	s.scheduleDoors()
	for i := range o.Plan.Traffic {
		if err := s.startTraffic(&o.Plan.Traffic[i]); err != nil {
			return 0, err
		}
	}
	defer s.stopTraffic()
	for n := 0; s.open+s.active > 0; n++ {
		if n%4096 == 0 {
			if err := ctx.Err(); err != nil {
				return s.now, err
			}
			if o.Progress != nil {
				o.Progress(s.now)
			}
		}
		if len(s.steps) == 0 {
			return s.now, fmt.Errorf("nothing is due at %v although %d requests are under way", s.now, s.active)
		}
		st := s.pop()
		s.now = st.at
		s.do(&st)
	}
	return s.now, nil
}

// do carries out one step unless it was overtaken.
func (s *Sim) do(st *step) {
	if f := st.f; f != nil && st.do != doClientTimeout && st.gen != f.gen {
		return
	}
	switch st.do {
	case doArrive:
		s.arrive(st.t)
	case doAsk:
		s.ask(st.t, int(st.user))
	case doRead:
		s.readBy(st.x)
	case doAwait:
		s.atBarrier(st.x)
	case doConnected:
		s.connectAgain(st.f, st.x)
	case doConnectFail:
		s.follow(st.f, st.f.req.Fail(s.now, event.ConnectTimeout))
	case doHandshake:
		s.handshake(st.f, st.x)
	case doGone:
		if !s.crowded(st.x, doGone) {
			s.accept(st.x)
		}
	case doShaken:
		s.request(st.f, st.x)
	case doFail:
		s.follow(st.f, st.f.req.Fail(s.now, st.f.outcome))
	case doHeader:
		s.header(st.f)
	case doEnd:
		s.end(st.f)
	case doClientTimeout:
		if st.gen == st.f.life {
			s.clientTimeout(st.f)
		}
	case doIdle:
		st.timer.goesOff(s)
	case doDoor:
		s.changeDoor(st.x.b, st.door)
	}
}

// scheduleDoors lets FaultOn and FaultOff happen at the plan's instants.
func (s *Sim) scheduleDoors() {
	for _, d := range s.plan.Doors {
		x := &exchange{b: s.backends[d.Backend]}
		for _, c := range d.Changes {
			s.push(step{at: c.At, do: doDoor, x: x, door: c.Door})
		}
	}
}

// changeDoor tells of a door's change. A port that closes takes its idle
// connections with it.
func (s *Sim) changeDoor(b *backend, to fault.Door) {
	if from := b.door(max(s.now-1, 0)); s.now > 0 && from != fault.Open {
		s.sink.Emit(event.Event{At: s.now, Kind: event.FaultOff, Peer: b.name, Detail: from.String()})
	}
	if to != fault.Open {
		s.sink.Emit(event.Event{At: s.now, Kind: event.FaultOn, Peer: b.name, Detail: to.String()})
	}
	if to != fault.Frozen && to != fault.Blackholed {
		b.queued = 0
	}
	if to != fault.Refusing && to != fault.Stopping {
		return
	}
	b.crowd.waiting = nil
	for _, w := range s.workers {
		for _, p := range w.pools {
			if p.cache == nil {
				continue
			}
			for id, cn := range p.cache.conns {
				if cn.b == b {
					p.cache.drop(s, id)
				}
			}
		}
	}
}
