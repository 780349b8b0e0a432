package nginx

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"
)

// How long Close lets nginx take: to end by itself, then by SIGTERM, and to go
// after SIGKILL.
const (
	quitTimeout = 3 * time.Second
	termTimeout = time.Second
	killTimeout = 4 * time.Second // a machine that stands still collects nobody
)

// Close ends nginx and all its workers, emits the events, and removes the
// folder unless the caller gave it. It waits, at most eight seconds, and then
// says what for. Closing again returns the same error. A nginx that ended
// during the run is an *ExitError.
func (p *Process) Close() error {
	p.closing.Do(func() { p.closed = p.close() })
	return p.closed
}

func (p *Process) close() error {
	var errs []error
	p.end = p.stop(&errs)
	if err := p.prefix.room(); err != nil {
		errs = append(errs, fmt.Errorf("nginx's logs may have gaps: %w", err))
	}
	if err := p.emit(p.end); err != nil {
		errs = append(errs, err)
	}
	if err := p.prefix.remove(); err != nil {
		errs = append(errs, &PrefixError{p.prefix.dir, err})
	}
	return errors.Join(errs...)
}

// stopped says where the run ends in nginx's logs: what comes after our signal
// is our doing.
type stopped struct {
	msec   int64 // of nginx's clock; lines from then on
	errors int64 // bytes of the error log before it
}

// stop ends nginx. SIGQUIT and not SIGTERM: on the latter the workers drop their
// requests without writing them down.
func (p *Process) stop(errs *[]error) stopped {
	s := stopped{msec: 1<<63 - 1, errors: 1<<63 - 1}
	defer p.leave(errs)
	if ended(p.child) {
		*errs = append(*errs, p.exitError())
		return s
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if at, err := p.measure(ctx); err == nil {
		s.msec = at
	}
	p.pinger.close()
	s.errors = size(p.prefix.file(errorFile))
	p.child.Signal(syscall.SIGQUIT)
	if waited(p.child, quitTimeout) {
		if p.child.State() != "exit status 0" { // it ended just before, or badly
			*errs = append(*errs, p.exitError())
		}
	} else {
		p.child.Signal(syscall.SIGTERM)
		waited(p.child, termTimeout)
	}
	if !p.stopNow() {
		*errs = append(*errs, fmt.Errorf("still waiting for nginx to end after SIGKILL: %s", p.child.Left()))
	}
	return s
}

// leave gives the seat back.
func (p *Process) leave(errs *[]error) {
	if p.seat == nil {
		return
	}
	if err := p.seat.Leave(); err != nil {
		*errs = append(*errs, err)
	}
	p.seat = nil
}

// stopNow kills whatever still runs and waits for it.
func (p *Process) stopNow() bool {
	p.pinger.close()
	if p.child == nil {
		return true
	}
	if ended(p.child) {
		return true
	}
	p.child.Kill()
	return waited(p.child, killTimeout)
}

func (p *Process) exitError() error {
	return &ExitError{During: "run", State: p.child.State(), Output: p.lastWords()}
}
