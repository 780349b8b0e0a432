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
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/nolive/nolive/harness/clock"
)

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
