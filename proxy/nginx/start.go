package nginx

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/nolive/nolive/proxy/nginxconf"
)

// starts is how many times nginx is started before we give up finding ports;
// startTimeout is how long one start may take: a wedged machine, no nginx.
const (
	starts       = 4
	startTimeout = 15 * time.Second
)

// renderFunc makes the configuration that nginx gets.
type renderFunc func(*nginxconf.Tree, nginxconf.RenderOptions) (*nginxconf.Rendered, error)

func start(ctx context.Context, o Options, render renderFunc) (*Process, error) {
	o = o.withDefaults()
	p := &Process{opts: o}
	var err error
	if p.bin, err = findBinary(ctx, o.Binary); err != nil {
		return nil, err
	}
	var faketime string
	if s := o.Clock.Speed(); s > 1 {
		if faketime, err = findFaketime(s, faketimePlaces); err != nil {
			return nil, err
		}
	}
	if p.prefix, err = newPrefix(o.Dir); err != nil {
		return nil, err
	}
	env := environment(os.Environ(), o.Clock.Speed(), faketime)
	for try := 1; ; try++ {
		err = p.launch(ctx, env, render, try)
		if _, taken := err.(*PortError); !taken || try == starts {
			break
		}
	}
	if err == nil {
		err = p.firstLook(ctx)
	}
	if err != nil {
		p.stopNow()
		p.prefix.remove()
		return nil, err
	}
	return p, nil
}

// launch starts nginx once and waits until it answers. A *PortError asks for
// another try with other ports. After the first one our sockets aren't handed
// down any more: it failed although they were, so this nginx doesn't take them.
func (p *Process) launch(ctx context.Context, env []string, render renderFunc, try int) error {
	listens := p.opts.Config.Tree.Listens()
	ports, err := reserve(len(listens) + 1)
	if err != nil {
		return err
	}
	defer ports.release()
	p.listens = make(map[string]string, len(listens))
	for i, l := range listens {
		p.listens[l] = ports.addresses[i]
	}
	if len(listens) > 0 {
		p.first = ports.addresses[0]
	}
	p.pinger = pinger{address: ports.addresses[len(listens)]}

	conf, err := render(p.opts.Config.Tree, additions(p.bin, p.opts, p.listens, p.pinger.address, p.prefix.dir))
	if err != nil {
		return err
	}
	if err := os.WriteFile(p.prefix.file(confFile), conf.Text, 0o644); err != nil {
		return &PrefixError{p.prefix.dir, err}
	}
	stderr, err := os.Create(p.prefix.file(stderrFile))
	if err != nil {
		return &PrefixError{p.prefix.dir, err}
	}
	defer stderr.Close()

	args := []string{"-p", p.prefix.dir, "-c", p.prefix.file(confFile)}
	if p.bin.atLeast(1, 19, 5) {
		args = append(args, "-e", errorFile) // else it tries the one it was built with, for a moment
	}
	cmd := exec.Command(p.bin.path, args...)
	cmd.Dir, cmd.Env, cmd.Stderr = p.prefix.dir, env, stderr
	if try == 1 {
		cmd.ExtraFiles = ports.files
		cmd.Env = append(env[:len(env):len(env)], "NGINX="+ports.inherit())
	} else {
		ports.release()
	}
	if p.child, err = spawn(cmd); err != nil {
		p.child = nil
		return &BinaryError{Binary: p.bin.path, Err: err}
	}
	ports.release()
	return p.awaitAnswer(ctx, conf)
}

// awaitAnswer waits for the first answer of our clock, or for the end of nginx.
func (p *Process) awaitAnswer(ctx context.Context, conf *nginxconf.Rendered) error {
	ctx, cancel := context.WithTimeoutCause(ctx, startTimeout, fmt.Errorf("nginx gave no answer within %v: if the machine is busy, run fewer at once", startTimeout))
	defer cancel()
	answered := make(chan struct{})
	asking, stopAsking := context.WithCancel(ctx)
	go func() {
		defer close(answered)
		for asking.Err() == nil {
			if _, err := p.pinger.ping(asking); err == nil {
				return
			}
			// Refused: the socket isn't ours and nginx doesn't listen yet.
			select {
			case <-time.After(2 * time.Millisecond):
			case <-asking.Done():
			}
		}
	}()
	defer func() { stopAsking(); <-answered }()
	select {
	case <-p.child.done:
		return p.startError(conf)
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-answered:
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return nil
	}
}

// startError turns what nginx said before it ended into an error.
func (p *Process) startError(conf *nginxconf.Rendered) error {
	out, _ := os.ReadFile(p.prefix.file(stderrFile))
	for _, line := range strings.Split(string(out), "\n") {
		level, message, ok := refusal(line)
		if !ok {
			continue
		}
		switch {
		case strings.HasPrefix(message, "bind() to ") && strings.Contains(message, "failed (98"):
			return &PortError{message}
		case level == "emerg":
			return p.refused(conf, line, message)
		}
	}
	return &ExitError{During: "start", State: p.child.state, Output: tail(string(out), 3)}
}

// refusal takes "nginx: [emerg] message" apart.
func refusal(line string) (level, message string, ok bool) {
	rest, ok := strings.CutPrefix(line, "nginx: [")
	if !ok {
		return "", "", false
	}
	return strings.Cut(rest, "] ")
}

func (p *Process) refused(conf *nginxconf.Rendered, line, message string) error {
	e := &ConfigError{Message: message}
	if pr, ok := conf.Problem(line); ok {
		e.Pos, e.Message = pr.Pos, pr.Text
		return e
	}
	// Our file's name means nothing to the user.
	if m, _, ok := strings.Cut(message, " in "+p.prefix.dir); ok {
		e.Message = m
	}
	return e
}

// tail is the last n lines of a text.
func tail(s string, n int) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "; ")
}
