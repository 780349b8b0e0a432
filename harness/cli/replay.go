package cli

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/nolive/nolive/harness"
)

// replayCommand is `nolive replay`.
type replayCommand struct {
	File  string `arg:"" help:"Events written by nolive run --events."`
	Judge bool   `help:"Also judge the stored run by its expectations again."`
}

// Run replays every run of the log. A decision that the model doesn't explain
// is a failure.
func (c *replayCommand) Run(io Streams) error {
	f, err := os.Open(c.File)
	if err != nil {
		return badInput{err}
	}
	defer f.Close()
	runs, err := harness.ReadLog(f)
	if err != nil {
		return badInput{fmt.Errorf("%s: %w", c.File, err)}
	}
	code := Holds
	for i := range runs {
		if !c.replay(io, &runs[i]) {
			code = Failed
		}
	}
	if code != Holds {
		return status(code)
	}
	return nil
}

// replay writes what the model says of one run, and whether it explains it all.
func (c *replayCommand) replay(io Streams, s *harness.Stored) bool {
	fmt.Fprintf(io.Out, "%s on %s, seed %d\n", s.Run.Title(), s.Engine, s.Seed)
	ok := true
	for _, r := range harness.Replay(s.Run, s.Events, time.Duration(s.ClockError*float64(time.Second))) {
		fmt.Fprintf(io.Out, "  upstream %s: %d decisions, %d not explained by the model (%d at a second's edge, %d ambiguous)\n",
			r.Upstream, r.Decisions, r.Different, r.Edges, r.Ambiguous)
		if r.Cut > 0 {
			fmt.Fprintf(io.Out, "  at %d moments there were more orders of events than could be followed\n", r.Cut)
		}
		if r.First != nil {
			ok = false
			fmt.Fprintf(io.Out, "  first: %s\n", strings.ReplaceAll(r.First.String(), "\n", "\n  "))
		}
	}
	if c.Judge {
		for _, v := range harness.Judge(s.Run, s.Events, s.End(), s.Run.Expect) {
			word := "ok  "
			if !v.OK {
				word, ok = "FAIL", false
			}
			fmt.Fprintf(io.Out, "  %s %s: got %s\n", word, v.Check, v.Got)
		}
	}
	return ok
}
