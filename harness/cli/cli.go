// Package cli is the nolive command: it reads flags, runs scenarios through the
// harness and writes reports. It never knows how an engine works.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/alecthomas/kong"
)

// The exit statuses.
const (
	// Holds: every expectation held.
	Holds = 0
	// Failed: an expectation failed.
	Failed = 1
	// BadInput: the command line or a scenario is wrong.
	BadInput = 2
	// NoRun: an engine could not run, or the run was invalid.
	NoRun = 3
)

// Streams are what the command talks to.
type Streams struct {
	Out, Err io.Writer
	// Width is the terminal's width, 0 when Out is no terminal: then there is no
	// colour and no progress.
	Width int
}

// commands are all commands, as kong reads them.
type commands struct {
	Run    runCommand    `cmd:"" help:"Run scenarios and say whether their expectations hold."`
	List   listCommand   `cmd:"" help:"List the shipped scenarios, one line each."`
	Show   showCommand   `cmd:"" help:"Print a shipped scenario, to start your own from."`
	Lint   lintCommand   `cmd:"" help:"Report all mistakes of scenario files."`
	Plan   planCommand   `cmd:"" help:"Print every planned instant of a scenario."`
	Replay replayCommand `cmd:"" help:"Let the nginx model replay the instants of a stored run."`
	Schema schemaCommand `cmd:"" help:"Print the JSON Schema of scenario files."`
}

// status is an exit status as an error.
type status int

func (s status) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// badInput is an error that exits with BadInput.
type badInput struct{ error }

// Main runs the command and returns its exit status.
func Main(ctx context.Context, args []string, io Streams) int {
	var c commands
	parser, err := kong.New(&c,
		kong.Name("nolive"),
		kong.Description("Fault-injection tests for proxies: one YAML incident, run on a model of nginx, on a bundled proxy and on the real nginx."),
		kong.Writers(io.Out, io.Err),
		kong.Exit(func(code int) { panic(status(code)) }),
		kong.UsageOnError(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
	)
	if err != nil {
		fmt.Fprintln(io.Err, "nolive:", err)
		return NoRun
	}
	code, ok := help(func() { err = parse(ctx, parser, args, io) })
	if ok {
		return code
	}
	var s status
	switch {
	case err == nil:
		return Holds
	case errors.As(err, &s):
		return int(s)
	}
	fmt.Fprintln(io.Err, "nolive:", err)
	if errors.As(err, new(badInput)) || errors.Is(err, os.ErrNotExist) {
		return BadInput
	}
	return NoRun
}

func parse(ctx context.Context, parser *kong.Kong, args []string, io Streams) error {
	k, err := parser.Parse(args)
	if err != nil {
		return badInput{err}
	}
	k.BindTo(ctx, (*context.Context)(nil))
	return k.Run(io)
}

// help lets f run; --help ends it early with a status.
func help(f func()) (code int, ended bool) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case status:
			code, ended = int(p), true
		default:
			panic(p)
		}
	}()
	f()
	return 0, false
}
