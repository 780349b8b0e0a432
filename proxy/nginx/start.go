package nginx

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/nolive/nolive/backends/certs"
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
	p := &Process{opts: o, host: o.host()}
	var err error
	if p.found, p.bin, err = look(ctx, p.host); err != nil {
		return nil, err
	}
	faketime := ""
	if s := o.Clock.Speed(); s > 1 {
		if faketime = p.found.Faketime; faketime == "" {
			return nil, &FaketimeError{Speed: s, Reason: p.found.NoFaketime}
		}
	}
	if p.opts.Backends, err = p.found.reach(o.Backends); err != nil {
		return nil, err
	}
	if p.prefix, err = newPrefix(o.Dir, p.found.Folder); err != nil {
		return nil, err
	}
	env := environment(p.found.Env, o.Clock.Speed(), faketime)
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
		errs := []error{err}
		p.leave(&errs)
		p.prefix.remove()
		return nil, only(errs)
	}
	return p, nil
}

// only is the error if there is just one, so that callers can tell its kind.
func only(errs []error) error {
	if len(errs) == 1 {
		return errs[0]
	}
	return errors.Join(errs...)
}

// launch starts nginx once and waits until it answers. A *PortError asks for
// another try with other ports.
func (p *Process) launch(ctx context.Context, env []string, render renderFunc, try int) error {
	listens := p.opts.Config.Tree.Listens()
	var left []error
	if p.leave(&left); len(left) > 0 { // the seat of the try before
		return only(left)
	}
	var err error
	if p.seat, err = p.host.Sit(ctx, len(listens)+1, try); err != nil {
		p.seat = nil
		return err
	}
	dial, there := p.seat.Dial(), map[string]string{}
	p.listens = make(map[string]string, len(listens))
	for i, l := range listens {
		p.listens[l], there[l] = dial[i], p.seat.Listen()[i]
	}
	if len(listens) > 0 {
		p.first = dial[0]
	}
	p.pinger = pinger{address: dial[len(listens)]}

	p.there = there
	add := additions(p.bin, p.found.Root, p.opts, there, p.seat.Listen()[len(listens)], p.prefix.dir)
	exists := func(string) bool { return true } // elsewhere nginx says so
	if _, here := p.host.(machine); here {
		exists = onDisk
	}
	if err := p.bin.addStream(&add, p.opts, p.found.Program, exists); err != nil {
		return err
	}
	if add.Files, err = p.files(); err != nil {
		return err
	}
	if add.PagesDir, err = p.pages(); err != nil {
		return err
	}
	add.Nowhere = p.prefix.file(nowhere)
	conf, err := render(p.opts.Config.Tree, add)
	if err != nil {
		return err
	}
	if err := os.WriteFile(p.prefix.file(confFile), conf.Text, 0o644); err != nil {
		return &PrefixError{p.prefix.dir, err}
	}
	if p.opts.CA != nil {
		if err := os.WriteFile(p.prefix.file(certs.File), p.opts.CA, 0o644); err != nil {
			return &PrefixError{p.prefix.dir, err}
		}
	}

	args := []string{"-p", p.prefix.dir, "-c", p.prefix.file(confFile)}
	if p.bin.atLeast(1, 19, 5) {
		args = append(args, "-e", errorFile) // else it tries the one it was built with, for a moment
	}
	if p.child, err = p.seat.Start(ctx, Command{
		Program: p.found.Program, Args: args, Env: env, Dir: p.prefix.dir, Stderr: p.prefix.file(stderrFile),
	}); err != nil {
		p.child = nil
		return err
	}
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
	case <-p.child.Done():
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
	return &ExitError{During: "start", State: p.child.State(), Output: tail(string(out), 3)}
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
