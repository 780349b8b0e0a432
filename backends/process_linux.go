package backends

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

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
	port   *port // its anchor keeps the port while no process has it
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
	addr, err := opts.check()
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
	if p.port, err = reserve(addr); err != nil {
		p.cancel()
		return nil, fmt.Errorf("backend %s: listen on %s: %w", opts.Name, addr, err)
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
func (p *Process) Addr() string { return p.port.addr.String() }

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
	p.port.close()
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
		Name: p.opts.Name, Address: p.port.addr.String(), Backlog: p.opts.Backlog, Certificates: p.opts.Certificates, Seed: p.opts.Seed, Speed: p.opts.Clock.Speed(),
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

// child is one process.
type child struct {
	cmd            *exec.Cmd
	orders         *os.File
	enc            *gob.Encoder
	stderr         bytes.Buffer
	ready          chan struct{} // gets one for each report of being ready
	served, killed atomic.Bool
	// heard is closed when the last report was taken, gone when the process is
	// reaped.
	heard, gone chan struct{}
}

// spawn starts a process that doesn't listen yet.
func (p *Process) spawn() (*child, error) {
	if len(os.Args) == 2 && os.Args[1] == childFlag {
		return nil, errNoChild
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	orders, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, reports, err := os.Pipe()
	if err != nil {
		orders.Close()
		in.Close()
		return nil, err
	}
	c := &child{orders: in, enc: gob.NewEncoder(in), ready: make(chan struct{}, 2), heard: make(chan struct{}), gone: make(chan struct{})}
	c.cmd = exec.Command(self, childFlag)
	c.cmd.Stdin, c.cmd.Stderr, c.cmd.ExtraFiles = orders, &c.stderr, []*os.File{reports}
	// A process group of its own, so that a Ctrl-C on the terminal reaches only the
	// harness. Should that die, the kernel kills the process, stopped or not.
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	started := make(chan error)
	go func() {
		// The kernel ties that to the thread that forked, not to the process.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := c.cmd.Start()
		orders.Close()
		reports.Close()
		started <- err
		if err == nil {
			<-c.heard
			_ = c.cmd.Wait()
			close(c.gone)
			if c.served.Load() && !c.killed.Load() {
				p.fail(fmt.Errorf("its process ended by itself: %v: %s", c.cmd.ProcessState, bytes.TrimSpace(c.stderr.Bytes())))
			}
		}
	}()
	if err := <-started; err != nil {
		in.Close()
		out.Close()
		return nil, err
	}
	go func() {
		defer close(c.heard)
		defer out.Close()
		dec := gob.NewDecoder(out)
		for {
			var r report
			if dec.Decode(&r) != nil {
				return
			}
			if r.Ready {
				c.ready <- struct{}{}
				continue
			}
			p.heard(&r)
		}
	}()
	// A process that has ended already says better why than the broken pipe does.
	if err := c.enc.Encode(order{Setup: p.setup()}); err != nil && !errors.Is(err, unix.EPIPE) {
		c.kill()
		return nil, err
	}
	if err := c.await(p.ctx); err != nil {
		c.kill()
		return nil, err
	}
	select {
	case <-p.opts.Clock.Begun():
		c.begin(p.opts.Clock)
	default:
	}
	return c, nil
}

// errNoChild is what goes wrong for who doesn't call Child.
var errNoChild = errors.New("this program can't be started again as a backend: call backends.Child() first in main, or in TestMain")

// await waits for a report of being ready.
func (c *child) await(ctx context.Context) error {
	late := time.NewTimer(startPatience)
	defer late.Stop()
	select {
	case <-c.ready:
		return nil
	case <-c.heard:
		<-c.gone
		if c.stderr.Len() > 0 && c.cmd.ProcessState.ExitCode() == 1 {
			return errors.New(string(bytes.TrimSpace(c.stderr.Bytes())))
		}
		return errNoChild
	case <-late.C:
		return fmt.Errorf("it wasn't ready after %v", startPatience)
	case <-ctx.Done():
		return ErrClosed
	}
}

// listen lets it open its port, and returns when it is open.
func (c *child) listen(ctx context.Context, n numbers) error {
	if err := c.enc.Encode(order{Listen: &n}); err != nil {
		return err
	}
	if err := c.await(ctx); err != nil {
		return err
	}
	c.served.Store(true)
	return nil
}

// begin tells it when scenario time began.
func (c *child) begin(k *clock.Clock) {
	origin := monotonic() + int64(time.Until(k.Instant(0)))
	_ = c.enc.Encode(order{Begin: &begin{origin}}) // an error is its end, which is noticed elsewhere
}

// stop stops it and waits until it stands still.
func (c *child) stop() error {
	if err := c.signal(syscall.SIGSTOP); err != nil {
		return err
	}
	for {
		err := unix.Waitid(unix.P_PID, c.cmd.Process.Pid, nil, unix.WSTOPPED|unix.WNOWAIT|unix.WEXITED, nil)
		if err != unix.EINTR {
			return os.NewSyscallError("waitid", err)
		}
	}
}

func (c *child) signal(s syscall.Signal) error {
	if err := c.cmd.Process.Signal(s); err != nil {
		return fmt.Errorf("its process can't be sent %v: %w", s, err)
	}
	return nil
}

// kill ends it and waits for that: then the kernel has ended its connections.
func (c *child) kill() {
	c.killed.Store(true)
	_ = c.cmd.Process.Kill()
	_ = c.orders.Close()
	<-c.gone
}
