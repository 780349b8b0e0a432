package nginx

import (
	"context"
	"os"
	"os/exec"
)

// machine is the Host that we are on.
type machine struct {
	binary string // "" is the one on PATH
}

var _ Host = machine{}

// Look asks the program every time: it may have been replaced.
func (m machine) Look(ctx context.Context) (Found, error) {
	path, output, err := ask(ctx, m.binary)
	if err != nil {
		return Found{}, err
	}
	f := Found{Program: path, Output: output, Root: os.Geteuid() == 0, Env: os.Environ()}
	f.Faketime, f.NoFaketime = findFaketime(faketimePlaces)
	return f, nil
}

// Sit binds the addresses. After the first try our sockets aren't handed down
// any more: it failed although they were, so this nginx doesn't take them.
func (m machine) Sit(_ context.Context, n, try int) (Seat, error) {
	ports, err := reserve(n)
	if err != nil {
		return nil, err
	}
	return &chair{ports, try == 1}, nil
}

// chair is a Seat on this machine.
type chair struct {
	ports   *ports
	inherit bool
}

var _ Seat = (*chair)(nil)

func (c *chair) Listen() []string { return c.ports.addresses }
func (c *chair) Dial() []string   { return c.ports.addresses }

// Start hands the sockets down, named in the environment variable NGINX, or
// else lets go of them so that nginx can have their ports.
func (c *chair) Start(_ context.Context, command Command) (Child, error) {
	stderr, err := os.Create(command.Stderr)
	if err != nil {
		return nil, &PrefixError{command.Dir, err}
	}
	defer stderr.Close()
	defer c.ports.release()
	cmd := exec.Command(command.Program, command.Args...)
	cmd.Dir, cmd.Env, cmd.Stderr = command.Dir, command.Env, stderr
	if c.inherit {
		cmd.ExtraFiles = c.ports.files
		cmd.Env = append(cmd.Env[:len(cmd.Env):len(cmd.Env)], "NGINX="+c.ports.inherit())
	} else {
		c.ports.release()
	}
	child, err := spawn(cmd)
	if err != nil {
		return nil, &BinaryError{Binary: command.Program, Err: err}
	}
	return child, nil
}

// Leave closes the sockets if nginx was never started.
func (c *chair) Leave() error {
	c.ports.release()
	return nil
}
