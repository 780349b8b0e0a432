// Package cli is the nolive command: it reads flags, runs scenarios through the
// harness and writes reports. It never knows how an engine works.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"
	"github.com/charmbracelet/colorprofile"
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
	Run     runCommand     `cmd:"" help:"Run scenarios and say whether their expectations hold."`
	List    listCommand    `cmd:"" help:"List the shipped scenarios, one line each."`
	Show    showCommand    `cmd:"" help:"Print a shipped scenario, to start your own from."`
	Lint    lintCommand    `cmd:"" help:"Report all mistakes of scenario files."`
	Plan    planCommand    `cmd:"" help:"Print every planned instant of a scenario, in order of time."`
	Compare compareCommand `cmd:"" help:"Run scenarios on several engines and print only what differs."`
	Agree   agreeCommand   `cmd:"" help:"Draw random cases and hold the engines against each other on them."`
	Replay  replayCommand  `cmd:"" help:"Let the nginx model replay the instants of a stored run."`
	Backend backendCommand `cmd:"" help:"Serve misbehaving backends for any proxy, without a scenario."`
	Census  censusCommand  `cmd:"" help:"Ask what a proxy answers for every fault of the catalogue, as a table."`
	Schema  schemaCommand  `cmd:"" help:"Print the JSON Schema of scenario files."`
	Proxy   proxyCommand   `cmd:"" help:"Serve an nginx.conf with the bundled proxy: exact, not for production."`
	Version versionCommand `cmd:"" help:"Print the version of nolive and which versions of nginx it models; --version does as well."`
}

// status is an exit status as an error.
type status int

func (s status) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// badInput is an error that exits with BadInput.
type badInput struct{ error }

// mistakes are those of scenario files, each "file:line:col: what is wrong", so
// they are printed as they are: editors find the place.
type mistakes []string

func (m mistakes) Error() string { return strings.Join(m, "\n") }

// Main runs the command and returns its exit status.
func Main(ctx context.Context, args []string, io Streams) int {
	raw := io.Out
	io.Out = colours(raw, raw)
	if len(args) == 0 {
		Main(ctx, []string{"--help"}, Streams{Out: io.Err, Err: io.Err})
		return BadInput
	}
	switch args[0] {
	case "--version":
		args = append([]string{"version"}, args[1:]...)
	case "help":
		args = append(slices.Clone(args[1:]), "--help")
	}
	var c commands
	parser, err := kong.New(&c,
		kong.Name("nolive"),
		kong.Description("Fault-injection tests for proxies: one YAML incident, run on a model of nginx, on a bundled proxy and on the real nginx.\n\n"+
			"Exit status: 0 all expectations hold, 1 one failed, 2 bad input, 3 an engine could not run or a run proves nothing."),
		kong.Writers(io.Out, io.Err),
		kong.Exit(func(code int) { panic(status(code)) }),
		kong.WithHyphenPrefixedParameters(true),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
	)
	if err != nil {
		fmt.Fprintln(io.Err, "nolive:", err)
		return NoRun
	}
	code, ok := help(func() { err = parse(ctx, parser, args, io, terminal{raw}) })
	if ok {
		return code
	}
	var s status
	var m mistakes
	switch {
	case err == nil:
		return Holds
	case errors.As(err, &s):
		return int(s)
	case errors.As(err, &m):
		fmt.Fprintln(io.Err, m)
		return BadInput
	case unread(err):
		return NoRun
	}
	fmt.Fprintln(io.Err, "nolive:", err)
	if errors.As(err, new(badInput)) {
		return BadInput
	}
	return NoRun
}

// unread says whether standard output was a pipe that nobody reads any more, as that
// of a head which has seen enough: no news for a person.
func unread(err error) bool {
	var p *fs.PathError
	return errors.As(err, &p) && p.Path == os.Stdout.Name() && errors.Is(p.Err, syscall.EPIPE)
}

// terminal is the undecorated Out, for what draws by itself.
type terminal struct{ io.Writer }

// colours lets colours through to out only as far as the terminal it ends at
// shows them; a pipe, a file and NO_COLOR get none.
func colours(out, end io.Writer) io.Writer {
	return &colorprofile.Writer{Forward: out, Profile: colorprofile.Detect(end, os.Environ())}
}

func parse(ctx context.Context, parser *kong.Kong, args []string, io Streams, raw terminal) error {
	k, err := parser.Parse(args)
	if err != nil {
		return badInput{fmt.Errorf("%w (see %s --help)", err, strings.TrimSpace("nolive "+commandOf(err)))}
	}
	k.BindTo(ctx, (*context.Context)(nil))
	return k.Run(io, raw)
}

// commandOf is the command that was parsed when err happened, "" for none yet.
func commandOf(err error) string {
	var p *kong.ParseError
	if errors.As(err, &p) && p.Context.Selected() != nil {
		return p.Context.Selected().Name
	}
	return ""
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
