// Command nolive tests what a proxy does when its backends misbehave.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"

	"github.com/nolive/nolive/backends"
	"github.com/nolive/nolive/harness/cli"
)

// output is standard output; when nobody reads it any more the run ends.
type output struct {
	*os.File
	closed func()
}

// Write writes, and tells when that is no longer possible.
func (o output) Write(p []byte) (int, error) {
	n, err := o.File.Write(p)
	if err != nil {
		o.closed()
	}
	return n, err
}

// narrowest is the width of a terminal that doesn't say or is narrower.
const narrowest = 60

func main() {
	backends.Child()
	// A lost terminal and a closed pipe end a run as Ctrl-C does, so that nothing
	// is left behind.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	streams := cli.Streams{Out: output{os.Stdout, stop}, Err: os.Stderr}
	if fd := int(os.Stdout.Fd()); term.IsTerminal(fd) {
		streams.Width, _, _ = term.GetSize(fd)
		streams.Width = max(streams.Width, narrowest)
	}
	code := cli.Main(ctx, os.Args[1:], streams)
	stop()
	os.Exit(code)
}
