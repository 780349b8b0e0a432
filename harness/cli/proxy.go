package cli

import (
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/nolive/nolive/proxy/process"
)

// proxyCommand is `nolive proxy`: its flags are nginx's.
type proxyCommand struct {
	Conf       string       `short:"c" placeholder:"FILE" help:"The configuration, nginx.conf by default; relative to the prefix."`
	Prefix     string       `short:"p" placeholder:"DIR" help:"Where relative paths begin; the working directory by default."`
	Test       bool         `short:"t" help:"Test the configuration and exit."`
	Dump       bool         `short:"T" help:"Test the configuration, print it and exit."`
	Quiet      bool         `short:"q" help:"Say nothing of a configuration that tests well."`
	Directives string       `short:"g" placeholder:"DIRECTIVES" help:"Global directives in front of the file's, such as 'pid proxy.pid;'."`
	ErrorLog   string       `short:"e" placeholder:"FILE" help:"The error log where the configuration names none; standard error by default."`
	Signal     string       `short:"s" placeholder:"SIGNAL" help:"Tell the running process, found by the configuration's pid file: stop, quit, reopen, reload."`
	Version    bool         `short:"v" help:"Print the version and exit."`
	Rules      modelVersion `name:"nginx-version" placeholder:"1.22" help:"The version of nginx whose rules the proxy follows; default is the newest stable one."`
	Build      bool         `short:"V" help:"Print the version and what it was built with, and exit."`
}

// Help is what --help says below the flags.
func (proxyCommand) Help() string {
	return `Serves an nginx.conf with the bundled proxy, which is driven by the same model
of nginx as scenarios are, and logs as nginx does, to the letter.
It is exact, and not for production: one process in the foreground, plain HTTP/1
and stream, no files, no cache. What it can't honour it refuses when it starts,
with the line.

Without access_log requests are logged to standard output, without error_log
errors to standard error; a pid file is written only where "pid" says so.

Signals: TERM and INT end it at once, QUIT lets requests finish, HUP takes the
configuration anew (a broken one changes nothing), USR1 opens the logs again.`
}

// Run runs the proxy; its exit status is nginx's, 0 or 1.
func (c *proxyCommand) Run(io Streams, raw terminal) error {
	if c.Version || c.Build {
		c.tell(io)
		if !c.Test && !c.Dump {
			return nil
		}
	}
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, process.Signals...)
	defer signal.Stop(signals)
	code := process.Run(process.Options{
		Conf: c.Conf, Prefix: c.Prefix, Directives: c.Directives, ErrorLog: c.ErrorLog,
		Test: c.Test, Dump: c.Dump, Quiet: c.Quiet, Signal: c.Signal, Version: c.Rules.Version,
	}, raw, io.Err, signals)
	if code != 0 {
		return status(code)
	}
	return nil
}

// tell prints the version. Who reads nginx's wants to know whose rules hold, so the
// first line has that version, in nginx's form; behind it, where distributions put
// their names, it says whose program this is, and the next line that it isn't nginx.
func (c *proxyCommand) tell(io Streams) {
	fmt.Fprintf(io.Err, "nginx version: nginx/%v (nolive/%s)\n", c.Rules.Version, strings.Trim(version(), "()"))
	fmt.Fprintln(io.Err, "this is nolive proxy, which follows nginx's rules, and not nginx")
	if c.Build {
		fmt.Fprintf(io.Err, "built with %s for %s/%s\n", runtime.Version(), runtime.GOOS, runtime.GOARCH)
		// The modules beyond nginx's default build that are served.
		fmt.Fprintln(io.Err, "configure arguments: --with-http_realip_module --with-stream")
	}
}

// version is the module's version, as the build knows it.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "unknown"
}
