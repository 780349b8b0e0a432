package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"

	"github.com/nolive/nolive/harness/admin"
	"github.com/nolive/nolive/harness/scenario"
)

// backendCommand is `nolive backend`.
type backendCommand struct {
	File        string   `short:"f" placeholder:"FILE" help:"Backends as in a scenario, under backends:, each named by its address or with a listen: of its own."`
	Listen      []string `placeholder:"ADDR" help:"Address of a backend, such as 127.0.0.1:9001 or unix:/run/app.sock; may be repeated. Default is a free port of 127.0.0.1."`
	Do          string   `placeholder:"YAML" help:"What it does, as behind do: in a scenario, such as 'close: {at: header}'. Default is to behave well."`
	Backlog     int      `placeholder:"N" help:"How many connections wait to be accepted, and one more; default is what the system allows."`
	Seed        seed     `placeholder:"N" help:"What everything random follows from; default 1, or what the file says."`
	Admin       string   `placeholder:"ADDR" help:"Port, or loopback address with a port, of the admin API; default is none."`
	AdminAnyone bool     `help:"Lets --admin be an address that other machines can reach."`
}

// Run serves until it is interrupted, and then says what it saw.
func (c *backendCommand) Run(ctx context.Context, io Streams) error {
	stand, err := c.stand()
	if err != nil {
		return err
	}
	if c.Seed.set {
		stand.Seed = c.Seed.value
	}
	anywhere := admin.Refused
	if c.AdminAnyone {
		anywhere = admin.Allowed
	}
	at, err := admin.Address(c.Admin, anywhere)
	if c.Admin != "" && err != nil {
		return badInput{fmt.Errorf("--admin: %w", err)}
	}
	fleet, err := admin.Start(stand)
	if err != nil {
		return elsewhere(err, "listen")
	}
	var api *admin.Server
	if c.Admin != "" {
		if api, err = fleet.Serve(at); err != nil {
			return errors.Join(elsewhere(fmt.Errorf("--admin: %w", err), "admin"), fleet.Close())
		}
	}
	for i, address := range fleet.Addresses() {
		say(io, stand.Backends[i], address)
	}
	if api != nil {
		fmt.Fprintf(io.Out, "admin API: %s/backends\n", api.URL())
	}
	fmt.Fprintln(io.Out, "Ctrl-C ends it")
	<-ctx.Done()

	counts := fleet.Counts()
	if api != nil {
		err = api.Close()
	}
	err = errors.Join(fleet.Close(), err)
	for i, n := range counts {
		fmt.Fprintf(io.Out, "%s: %d connections, %d requests\n", stand.Backends[i].Name, n.Connections, n.Requests)
	}
	if late := fleet.Late(); late.Count > 0 {
		fmt.Fprintf(io.Out, "waits were late by %v at p50, %v at p99, %v at most (%d waits)\n", late.P50, late.P99, late.Max, late.Count)
	}
	return err
}

// stand is what to serve.
func (c *backendCommand) stand() (*scenario.Stand, error) {
	if c.Backlog < 0 || c.Backlog > 65535 {
		return nil, badInput{fmt.Errorf("--backlog: want 1 to 65535, got %d", c.Backlog)}
	}
	if c.File != "" {
		if len(c.Listen) > 0 || c.Do != "" || c.Backlog != 0 {
			return nil, badInput{errors.New("--listen, --do and --backlog say what -f FILE does: give one or the other")}
		}
		stand, problems := scenario.LoadStand(c.File)
		if err := problems.Err(); err != nil {
			return nil, mistakes{err.Error()}
		}
		return stand, nil
	}
	stand := &scenario.Stand{Seed: 1}
	b := scenario.StandBackend{Backlog: c.Backlog}
	if c.Do != "" {
		rules, problems := scenario.ParseDo("--do", []byte(c.Do), c.Listen...)
		if err := problems.Err(); err != nil {
			return nil, mistakes{err.Error()}
		}
		b.Rules, b.Text = rules, "- do:\n    "+strings.ReplaceAll(c.Do, "\n", "\n    ")+"\n"
	}
	listen := c.Listen
	if len(listen) == 0 {
		listen = []string{"127.0.0.1:0"}
	}
	for _, address := range listen {
		b.Name, b.Listen = address, address
		stand.Backends = append(stand.Backends, b)
	}
	return stand, nil
}

// say says what a backend serves.
func say(io Streams, b scenario.StandBackend, address string) {
	what := "behaves well"
	if b.Text != "" {
		what = "serves"
	}
	if b.Name != address {
		fmt.Fprintf(io.Out, "%s on %s %s\n", b.Name, address, what)
	} else {
		fmt.Fprintf(io.Out, "%s %s\n", address, what)
	}
	for line := range strings.Lines(b.Text) {
		fmt.Fprint(io.Out, "  ", line)
	}
}

// elsewhere adds the way out to the error of a port that somebody else has.
func elsewhere(err error, flag string) error {
	if errors.Is(err, syscall.EADDRINUSE) && strings.Contains(err.Error(), "unix:") {
		return fmt.Errorf("%w: another program listens there; end it, or choose another path", err)
	}
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("%w: another program listens there; end it, or choose another port (--%s, or 0 for any that is free)", err, flag)
	}
	return err
}
