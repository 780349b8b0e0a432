package cli_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/nolive/nolive/backends"
	"github.com/nolive/nolive/harness/cli"
)

// TestMain makes this binary the command itself when it is called nolive, as
// scripts and tests call it.
func TestMain(m *testing.M) {
	backends.Child()
	testscript.Main(m, map[string]func(){"nolive": func() {
		signal.Ignore(syscall.SIGPIPE) // as main does
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		os.Exit(cli.Main(ctx, os.Args[1:], cli.Streams{Out: os.Stdout, Err: os.Stderr}))
	}})
}

// Each testdata/script/*.txtar is a session with the command.
//
//	status N nolive ARGS...   runs it and wants exactly the exit status N
//	fill FILE N TEXT          writes TEXT and a line end N times
//	junk FILE N               writes N bytes that are no text
//	edit FILE RE BY TO        writes FILE to TO with every match replaced
func TestScripts(t *testing.T) {
	nolive, err := exec.LookPath("nolive")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                "testdata/script",
		RequireUniqueNames: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("NOLIVE", nolive)
			e.Setenv("DOCKER_HOST", "unix:///no/such/docker.sock") // no script needs one
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status": status, "fill": fill, "junk": junk, "edit": edit,
		},
	})
}

func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N command args...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var exit *exec.ExitError
	switch err := ts.Exec(args[1], args[2:]...); {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	out, errs := ts.ReadFile("stdout"), ts.ReadFile("stderr")
	if got != want {
		ts.Fatalf("exit status %d, want %d\n%s%s", got, want, out, errs)
	}
	// Of no command, in no state, is a pipe told colours or stack traces.
	if strings.ContainsRune(out+errs, '\x1b') {
		ts.Fatalf("escape sequences in a pipe:\n%q", out+errs)
	}
	if strings.Contains(errs, "goroutine ") {
		ts.Fatalf("a panic:\n%s", errs)
	}
	// What is said twice is said badly.
	lines := map[string]bool{}
	for line := range strings.Lines(errs) {
		if lines[line] && strings.TrimSpace(line) != "" {
			ts.Fatalf("said twice: %s", line)
		}
		lines[line] = true
	}
}

func fill(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: fill file times text")
	}
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Repeat(args[2]+"\n", n)), 0o644))
}

func junk(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: junk file bytes")
	}
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i * 151)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), b, 0o644))
}

func edit(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 4 {
		ts.Fatalf("usage: edit file regexp replacement to")
	}
	re, err := regexp.Compile(args[1])
	ts.Check(err)
	out := re.ReplaceAllString(ts.ReadFile(args[0]), args[2])
	ts.Check(os.WriteFile(ts.MkAbs(args[3]), []byte(out), 0o644))
}
