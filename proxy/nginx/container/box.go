package container

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/pkg/stdcopy"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/network"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"

	"github.com/nolive/nolive/proxy/nginx"
)

// box is one container of ours.
type box struct {
	image  *Image
	engine *engine
	id     string
	made   testcontainers.Container
	root   bool
	// listen and dial are the addresses of a container on a bridge: inside and
	// as they are published.
	listen, dial []string
}

// firstPort is the first of the ports that nginx listens on in a container on a
// bridge: it isn't privileged, and nobody else is there.
const firstPort = 20000

// start starts a container whose first process is an nginx that listens nowhere.
// A box that comes with an error has to be ended.
func (i *Image) start(ctx context.Context, e *engine, ports int) (*box, error) {
	owner := i.pool.owner
	b := &box{image: i, engine: e}
	uid, gid := os.Getuid(), os.Getgid()
	if e.rootless {
		uid, gid = 0, 0 // that is who we are inside
	}
	b.root = uid == 0
	idle := fmt.Sprintf("daemon off; master_process off; error_log stderr; pid idle-%s.pid;", i.pool.next())
	req := testcontainers.ContainerRequest{
		Image:      i.name,
		Entrypoint: []string{"nginx"},
		Cmd:        []string{"-p", owner.dir, "-c", filepath.Join(owner.dir, idleFile), "-g", idle},
		Labels:     owner.labels(),
		// As us: then the logs are ours too, to read and to remove.
		ConfigModifier: func(c *container.Config) { c.User = fmt.Sprintf("%d:%d", uid, gid) },
	}
	for n := range ports {
		req.ExposedPorts = append(req.ExposedPorts, fmt.Sprintf("%d/tcp", firstPort+n))
	}
	req.HostConfigModifier = func(h *container.HostConfig) {
		// The folder is the same on both sides, and what nginx writes there is here
		// at once and whole, whatever becomes of the container. z is for SELinux.
		h.Binds = []string{owner.dir + ":" + owner.dir + ":z"}
		h.NetworkMode = container.NetworkMode(i.network)
		h.Ulimits = descriptors()
		e.weigh(&h.Resources)
		if i.network != Bridge {
			return
		}
		h.ExtraHosts = []string{gatewayName + ":host-gateway"}
		h.PortBindings = network.PortMap{}
		for _, p := range req.ExposedPorts {
			h.PortBindings[network.MustParsePort(p)] = []network.PortBinding{{HostIP: netip.AddrFrom4([4]byte{127, 0, 0, 1})}}
		}
	}
	made, err := testcontainers.GenericContainer(ctx, testcontainers.GenericContainerRequest{ContainerRequest: req, Started: true})
	if made != nil && made.GetContainerID() != "" {
		b.made, b.id = made, made.GetContainerID()
	}
	if err != nil {
		if b.id == "" {
			b = nil
		}
		return b, i.startError(err)
	}
	for n := range ports {
		port, err := made.MappedPort(ctx, req.ExposedPorts[n])
		if err != nil {
			return b, b.whyNot(ctx, err)
		}
		b.listen = append(b.listen, fmt.Sprintf("0.0.0.0:%d", firstPort+n))
		b.dial = append(b.dial, "127.0.0.1:"+port.Port())
	}
	return b, nil
}

// descriptors lets nginx have as many as the system allows us, as a process has.
func descriptors() []*container.Ulimit {
	var l syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l) != nil || int64(l.Max) <= 0 {
		return nil
	}
	return []*container.Ulimit{{Name: "nofile", Soft: int64(l.Max), Hard: int64(l.Max)}}
}

// startError tells an image without nginx from other trouble.
func (i *Image) startError(err error) error {
	for _, sign := range []string{"executable file not found", `exec: "nginx"`} {
		if strings.Contains(err.Error(), sign) {
			return &ImageError{Image: i.name, Reason: "has no nginx on its PATH"}
		}
	}
	return &ImageError{Image: i.name, Reason: "can't be started", Err: err}
}

// whyNot is the error for a container that should run and doesn't; err if it does.
func (b *box) whyNot(ctx context.Context, err error) error {
	state, running := b.state(ctx)
	if running || ctx.Err() != nil {
		return err
	}
	return &nginx.ExitError{During: "start", State: state, Output: b.output(ctx)}
}

// state says how the container ended, if it did.
func (b *box) state(ctx context.Context) (how string, running bool) {
	r, err := b.engine.client.ContainerInspect(ctx, b.id, client.ContainerInspectOptions{})
	switch {
	case errdefs.IsNotFound(err):
		return "its container was removed", false
	case err != nil:
		return fmt.Sprintf("its container can't be inspected: %v", err), true
	case r.Container.State == nil || r.Container.State.Running:
		return "", true
	case r.Container.State.OOMKilled:
		return "its container ran out of memory", false
	case r.Container.State.ExitCode == 128+int(syscall.SIGKILL):
		return "its container was killed", false
	}
	return fmt.Sprintf("exit status %d", r.Container.State.ExitCode), false
}

// ending waits a moment for the end of the container to show: what it does to
// programs in it is seen before.
func (b *box) ending(ctx context.Context) {
	for range 20 {
		if !b.runs(ctx) {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func (b *box) runs(ctx context.Context) bool {
	_, running := b.state(ctx)
	return running
}

// output is the end of what the container's first process said.
func (b *box) output(ctx context.Context) string {
	r, err := b.engine.client.ContainerLogs(ctx, b.id, client.ContainerLogsOptions{ShowStdout: true, ShowStderr: true, Tail: "3"})
	if err != nil {
		return ""
	}
	defer r.Close()
	var out bytes.Buffer
	_, _ = stdcopy.StdCopy(&out, &out, r)
	return strings.Join(strings.FieldsFunc(strings.TrimSpace(out.String()), func(r rune) bool { return r == '\n' }), "; ")
}

// run runs a program in the container to its end.
func (b *box) run(ctx context.Context, cmd []string) (output string, code int, err error) {
	var out bytes.Buffer
	x, err := b.exec(ctx, client.ExecCreateOptions{Cmd: cmd}, func(r io.Reader) { _, _ = stdcopy.StdCopy(&out, &out, r) })
	if err != nil {
		return "", 0, err
	}
	select {
	case <-x.copied:
	case <-ctx.Done():
		x.conn.Close()
		<-x.copied
		return "", 0, ctx.Err()
	}
	code, err = x.code(ctx)
	return out.String(), code, err
}

// execution is a program that was started in a container.
type execution struct {
	box    *box
	id     string
	conn   client.HijackedResponse
	copied chan struct{} // closed when its output has ended
}

// exec starts a program; out gets its output, in Docker's framing.
func (b *box) exec(ctx context.Context, o client.ExecCreateOptions, out func(io.Reader)) (*execution, error) {
	o.AttachStdout, o.AttachStderr = true, true
	made, err := b.engine.client.ExecCreate(ctx, b.id, o)
	if err != nil {
		return nil, err
	}
	attached, err := b.engine.client.ExecAttach(ctx, made.ID, client.ExecAttachOptions{})
	if err != nil {
		return nil, err
	}
	x := &execution{b, made.ID, attached.HijackedResponse, make(chan struct{})}
	go func() {
		defer close(x.copied)
		defer x.conn.Close()
		out(x.conn.Reader)
	}()
	return x, nil
}

// errRuns says that a program hasn't ended yet.
var errRuns = errors.New("still running")

// code is the exit status. The engine may learn of the end a little later than
// the output's end tells us.
func (x *execution) code(ctx context.Context) (int, error) {
	for wait := time.Millisecond; ; wait = min(2*wait, 100*time.Millisecond) {
		code, err := x.ended(ctx)
		if !errors.Is(err, errRuns) {
			return code, err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
}

// ended is the exit status, or errRuns.
func (x *execution) ended(ctx context.Context) (int, error) {
	r, err := x.box.engine.client.ExecInspect(ctx, x.id, client.ExecInspectOptions{})
	switch {
	case err != nil:
		return 0, err
	case r.Running:
		return 0, errRuns
	}
	return r.ExitCode, nil
}

// kill ends everything in the container at once.
func (b *box) kill() {
	ctx, cancel := context.WithTimeout(context.Background(), endTimeout)
	defer cancel()
	_, _ = b.engine.client.ContainerKill(ctx, b.id, client.ContainerKillOptions{Signal: "SIGKILL"})
}

// endTimeout is how long the engine may take to remove a container.
const endTimeout = 20 * time.Second

// end removes the container; one that is gone already is fine.
func (b *box) end() error {
	ctx, cancel := context.WithTimeout(context.Background(), endTimeout)
	defer cancel()
	return testcontainers.TerminateContainer(b.made, testcontainers.StopContext(ctx), testcontainers.StopTimeout(0))
}
