// Command nolive tests what a proxy does when its backends misbehave.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"

	"github.com/nolive/nolive/harness/cli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	streams := cli.Streams{Out: os.Stdout, Err: os.Stderr}
	if fd := int(os.Stdout.Fd()); term.IsTerminal(fd) {
		streams.Width, _, _ = term.GetSize(fd)
	}
	code := cli.Main(ctx, os.Args[1:], streams)
	stop()
	os.Exit(code)
}
