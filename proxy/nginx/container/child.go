package container

import (
	"context"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/pkg/stdcopy"
	"github.com/moby/moby/client"

	"github.com/nolive/nolive/proxy/nginx"
)

// child is a master with its workers in a container.
type child struct {
	box     *box
	command nginx.Command
	exec    *execution
	done    chan struct{}
	state   string // valid after done
}

var _ nginx.Child = (*child)(nil)

// master starts one.
func (b *box) master(ctx context.Context, c nginx.Command) (*child, error) {
	stderr, err := os.Create(c.Stderr)
	if err != nil {
		return nil, &nginx.PrefixError{Dir: c.Dir, Err: err}
	}
	x, err := b.exec(ctx, client.ExecCreateOptions{
		Cmd: append([]string{c.Program}, c.Args...), Env: c.Env, WorkingDir: c.Dir,
	}, func(r io.Reader) {
		defer stderr.Close()
		_, _ = stdcopy.StdCopy(io.Discard, stderr, r)
	})
	if err != nil {
		stderr.Close()
		return nil, b.whyNot(ctx, err)
	}
	k := &child{box: b, command: c, exec: x, done: make(chan struct{})}
	go k.wait()
	return k, nil
}

// lookEvery is how often the engine is asked whether a master still runs. The
// end of its output says so at once, but workers that outlive a killed master
// hold that open.
const lookEvery = time.Second

// wait notices the end.
func (c *child) wait() {
	defer close(c.done)
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		ctx, cancel := context.WithTimeout(context.Background(), endTimeout)
		select {
		case <-c.exec.copied:
			code, err := c.exec.code(ctx)
			c.state = c.how(ctx, code, err)
			cancel()
			return
		case <-tick.C:
		}
		code, err := c.exec.ended(ctx)
		if err == nil || errdefs.IsNotFound(err) {
			c.state = c.how(ctx, code, err)
			c.exec.conn.Close()
			cancel()
			<-c.exec.copied
			return
		}
		cancel()
	}
}

// how says how the master ended, in the operating system's words. A master that
// was killed leaves workers, which only the end of the container ends.
func (c *child) how(ctx context.Context, code int, err error) string {
	if state, running := c.box.state(ctx); !running {
		return state
	}
	if err != nil {
		return err.Error()
	}
	if code == 128+int(syscall.SIGKILL) {
		c.box.ending(ctx)
		if state, running := c.box.state(ctx); !running {
			return state
		}
	}
	if code > 128 && code < 128+65 {
		c.box.kill()
		return "signal: " + syscall.Signal(code-128).String()
	}
	return fmt.Sprintf("exit status %d", code)
}

// Done is closed when nothing of it runs any more.
func (c *child) Done() <-chan struct{} { return c.done }

// State says how it ended.
func (c *child) State() string { return c.state }

// Signal has nginx send it: an image needs no shell and no kill for that.
func (c *child) Signal(s syscall.Signal) {
	word := map[syscall.Signal]string{syscall.SIGQUIT: "quit", syscall.SIGTERM: "stop"}[s]
	ctx, cancel := context.WithTimeout(context.Background(), endTimeout)
	defer cancel()
	cmd := append([]string{c.command.Program}, c.command.Args...)
	_, _, _ = c.box.run(ctx, append(cmd, "-s", word))
}

// Kill ends the whole container, with every nginx in it: there is no other way
// to reach a worker that doesn't listen to its master. The others' runs say then
// that they prove nothing, and the next run gets a new container.
func (c *child) Kill() { c.box.kill() }

// Left is the container.
func (c *child) Left() string { return fmt.Sprintf("container %.12s", c.box.id) }
