package nginx

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// child is nginx's master on this machine with all its workers: one process group.
type child struct {
	pid int
	// done is closed when the master has ended and nothing of its group runs.
	done  chan struct{}
	state string // valid after done
}

var _ Child = (*child)(nil)

// Done is closed when nothing runs any more.
func (c *child) Done() <-chan struct{} { return c.done }

// State is the operating system's word: "exit status 1", "signal: killed".
func (c *child) State() string { return c.state }

// spawn starts cmd in its own process group, so that a Ctrl-C on the terminal
// reaches only the harness and no worker is ever missed.
//
// Should the harness die, the kernel sends the master SIGTERM, on which nginx
// ends its workers too; a SIGKILL would leave them behind. The kernel ties that
// to the thread that forked, not to the process (PR_SET_PDEATHSIG), so the
// goroutine that starts the master keeps its thread for as long as nginx runs.
func spawn(cmd *exec.Cmd) (*child, error) {
	c := &child{done: make(chan struct{})}
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		raiseDescriptors()
		cmd.SysProcAttr = processAttributes()
		err := cmd.Start()
		if err == nil {
			c.pid = cmd.Process.Pid
		}
		started <- err
		if err != nil {
			return
		}
		awaitExit(c.pid)
		// Not reaped yet, so the group's number can't belong to anybody else.
		syscall.Kill(-c.pid, syscall.SIGKILL)
		cmd.Wait()
		c.state = cmd.ProcessState.String()
		for len(members(c.pid)) > 0 { // a killed process still has to die
			time.Sleep(time.Millisecond)
		}
		c.sweep()
		close(c.done)
	}()
	return c, <-started
}

// Signal sends the master a signal.
func (c *child) Signal(s syscall.Signal) {
	if !ended(c) {
		syscall.Kill(c.pid, s)
	}
}

// Kill ends the whole group.
func (c *child) Kill() {
	if !ended(c) {
		syscall.Kill(-c.pid, syscall.SIGKILL)
	}
}

// Left are the processes that still run.
func (c *child) Left() string { return fmt.Sprintf("processes %v", members(c.pid)) }

// sweep removes what libfaketime leaves in shared memory when its process is
// killed; the names hold the master's pid.
func (c *child) sweep() {
	for _, f := range []string{"faketime_shm_", "sem.faketime_sem_"} {
		os.Remove("/dev/shm/" + f + itoa(c.pid))
	}
}
