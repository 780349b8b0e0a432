package backends

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/clock"
	"github.com/nolive/nolive/harness/event"
)

// Process is a fake backend that runs as a process of its own: a freeze really
// stops it (SIGSTOP, SIGCONT), and a refusal really kills it and starts another
// on the same port. What a proxy sees is what it sees of a Server.
type Process struct {
	opts   Options
	doors  fault.Doors
	gate   gate // keeps the address while no process has it
	ctx    context.Context
	cancel context.CancelFunc
	once   sync.Once
	closed error
	ended  chan struct{}

	// Only StartProcess and then the door's goroutine touch these.
	serving *child // nil while the port refuses
	spare   *child // ready to take over

	mu      sync.Mutex
	numbers numbers
	failed  error
}

// startPatience is how long a process may take to be ready, in real time.
const startPatience = 20 * time.Second

// StartProcess starts a backend as a process of its own; see Child. It takes the
// same options as Start, but its rules can't be changed.
func StartProcess(opts Options) (*Process, error) {
	at, err := opts.check()
	if err != nil {
		return nil, fmt.Errorf("backend %s: %w", opts.Name, err)
	}
	p := &Process{opts: opts, doors: opts.Rules.DoorChanges(), ended: make(chan struct{})}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	fail := func(what string, err error) (*Process, error) {
		p.cancel()
		p.end()
		return nil, fmt.Errorf("backend %s: %s: %w", opts.Name, what, err)
	}
	if p.gate, err = at.reserve(opts.Backlog); err != nil {
		p.cancel()
		return nil, fmt.Errorf("backend %s: listen on %s: %w", opts.Name, at, err)
	}
	if p.spare, err = p.spawn(); err != nil {
		return fail("its process", err)
	}
	if err := p.turn(fault.Refusing, p.doors[0].Door); err != nil {
		return fail("its process", err)
	}
	go p.follow()
	return p, nil
}

// Addr is the address that the backend has, also while it refuses.
func (p *Process) Addr() string { return p.gate.address() }

// Close kills the process and frees the port. It may be called again.
func (p *Process) Close() error {
	p.once.Do(func() {
		p.cancel()
		select {
		case <-p.ended:
		case <-time.After(5 * time.Second):
			p.closed = fmt.Errorf("backend %s: close: still waiting for its process to end", p.opts.Name)
			return
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		p.closed = p.failed
	})
	return p.closed
}

// follow turns the door at its instants, as Server.follow does.
func (p *Process) follow() {
	defer close(p.ended)
	defer p.end()
	select {
	case <-p.opts.Clock.Begun():
	case <-p.ctx.Done():
		return
	}
	for _, c := range []*child{p.serving, p.spare} {
		if c != nil {
			c.begin(p.opts.Clock)
		}
	}
	from := fault.Open
	for i, change := range p.doors {
		if p.opts.Clock.SleepUntil(p.ctx, change.At, clock.Wait) != nil {
			return
		}
		if i > 0 {
			if err := p.turn(from, change.Door); err != nil {
				p.fail(err)
			}
			// How late the process really stood still or went on.
			p.opts.Clock.Lateness().Note(clock.Wait, p.opts.Clock.Now()-change.At)
		}
		now := max(p.opts.Clock.Now(), change.At)
		for _, tell := range []struct {
			kind event.Kind
			door fault.Door
		}{{event.FaultOff, from}, {event.FaultOn, change.Door}} {
			// The process tells of a blackhole by itself.
			if tell.door == fault.Frozen || tell.door == fault.Refusing {
				p.opts.Sink.Emit(event.Event{At: now, Kind: tell.kind, Peer: p.opts.Name, Detail: tell.door.String()})
			}
		}
		from = change.Door
	}
	<-p.ctx.Done()
}

// turn makes the process what a door asks for.
func (p *Process) turn(from, to fault.Door) error {
	if to == fault.Refusing {
		if p.serving == nil {
			return nil
		}
		p.serving.kill()
		p.serving = nil
		return nil
	}
	if p.serving == nil {
		if err := p.takeOver(); err != nil {
			return err
		}
	}
	switch {
	case to == fault.Frozen:
		return p.serving.stop()
	case from == fault.Frozen:
		return p.serving.signal(syscall.SIGCONT)
	}
	return nil
}

// takeOver lets the spare process open the port, and gets another one ready if
// that will be needed.
func (p *Process) takeOver() error {
	if p.spare == nil {
		return errors.New("there is no other process")
	}
	c := p.spare
	p.spare = nil
	p.mu.Lock()
	n := p.numbers
	p.mu.Unlock()
	if err := c.listen(p.ctx, n); err != nil {
		c.kill()
		return err
	}
	p.serving = c
	if !p.needsSpare() {
		return nil
	}
	spare, err := p.spawn()
	if err == nil {
		p.spare = spare
	}
	return err
}

// needsSpare says whether a kill is still to come that another process follows.
func (p *Process) needsSpare() bool {
	now := time.Duration(-1)
	select {
	case <-p.opts.Clock.Begun():
		now = p.opts.Clock.Now()
	default:
	}
	killed := false
	for _, c := range p.doors {
		if c.At <= now {
			continue
		}
		if killed && c.Door != fault.Refusing {
			return true
		}
		killed = killed || c.Door == fault.Refusing
	}
	return false
}

// end kills what runs and frees the port.
func (p *Process) end() {
	for _, c := range []*child{p.serving, p.spare} {
		if c != nil {
			c.kill()
		}
	}
	p.gate.close()
}

func (p *Process) fail(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.failed = errors.Join(p.failed, fmt.Errorf("backend %s: %w", p.opts.Name, err))
}

// setup is what the process needs to know.
func (p *Process) setup() *setup {
	own := slices.Clone(p.doors)
	for i := range own {
		if own[i].Door != fault.Blackholed {
			own[i].Door = fault.Open
		}
	}
	own = slices.CompactFunc(own, func(a, b fault.DoorChange) bool { return a.Door == b.Door })
	return &setup{
		Name: p.opts.Name, Address: p.gate.address(), Backlog: p.opts.Backlog, Certificates: p.opts.Certificates, Seed: p.opts.Seed, Speed: p.opts.Clock.Speed(),
		Rules: p.opts.Rules, Doors: own, Thaw: p.doors,
	}
}

// heard takes a process's report.
func (p *Process) heard(r *report) {
	switch {
	case r.Event != nil:
		p.opts.Sink.Emit(*r.Event)
	case r.Late != nil:
		p.opts.Clock.Lateness().Note(r.Late.Kind, r.Late.By)
	case r.Note != nil:
		p.mu.Lock()
		p.numbers.Connections = max(p.numbers.Connections, r.Note.Connection)
		p.numbers.Requests = max(p.numbers.Requests, r.Note.Request)
		p.mu.Unlock()
		p.opts.Log.Note(*r.Note)
	case r.Error != "":
		p.fail(errors.New(r.Error))
	}
}
