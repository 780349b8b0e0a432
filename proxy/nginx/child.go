package nginx

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// child is nginx's master with all its workers: one process group.
type child struct {
	pid int
	// done is closed when the master has ended and nothing of its group runs.
	done  chan struct{}
	state string // valid after done
}

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
		close(c.done)
	}()
	return c, <-started
}

// signal sends the master a signal, if it still runs.
func (c *child) signal(s syscall.Signal) {
	if !c.ended() {
		syscall.Kill(c.pid, s)
	}
}

// kill ends the master and every worker at once.
func (c *child) kill() {
	if !c.ended() {
		syscall.Kill(-c.pid, syscall.SIGKILL)
	}
}

func (c *child) ended() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// waited waits for the end of nginx, at most d.
func (c *child) waited(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-c.done:
		return true
	case <-t.C:
		return false
	}
}

// sweep removes what libfaketime leaves in shared memory when its process is
// killed; the names hold the master's pid.
func (c *child) sweep() {
	for _, f := range []string{"faketime_shm_", "sem.faketime_sem_"} {
		os.Remove("/dev/shm/" + f + itoa(c.pid))
	}
}
