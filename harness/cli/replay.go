package cli

import (
	"fmt"
	"os"
	"strings"

	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/report"
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
		return badInput{fmt.Errorf("%s: %w", c.File, reason(err))}
	}
	defer f.Close()
	runs, err := harness.ReadLog(f)
	if err != nil {
		return badInput{fmt.Errorf("%s: %w", c.File, reason(err))}
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
	for _, r := range s.Replay() {
		for _, line := range explained(r) {
			fmt.Fprintln(io.Out, "  "+line)
		}
		ok = ok && r.First == nil
	}
	if c.Judge {
		verdicts := harness.Judge(s.Run, s.Events, s.End(), s.Run.Expect)
		report.Verdicts(io.Out, verdicts, io.Width)
		for _, v := range verdicts {
			ok = ok && v.OK
		}
	}
	return ok
}

// explained says how well the model explains one upstream.
func explained(r harness.Replayed) []string {
	var lines []string
	switch {
	case r.Decisions == 0:
		return []string{fmt.Sprintf("upstream %s: nothing to decide", r.Upstream)}
	case r.Different == 0:
		lines = append(lines, fmt.Sprintf("upstream %s: the model explains every decision (%d)", r.Upstream, r.Decisions))
	default:
		lines = append(lines, fmt.Sprintf("upstream %s: the model doesn't explain %d of %d decisions", r.Upstream, r.Different, r.Decisions))
	}
	if r.Edges > 0 {
		lines = append(lines, fmt.Sprintf("  %d so close to a second's edge that it mattered on which side", r.Edges))
	}
	if r.Ambiguous > 0 {
		lines = append(lines, fmt.Sprintf("  %d explained by some orders of nearly simultaneous events only", r.Ambiguous))
	}
	if r.Cut > 0 {
		lines = append(lines, fmt.Sprintf("  at %d moments there were more orders than could be followed, so a difference after that is no proof", r.Cut))
	}
	if r.First != nil {
		lines = append(lines, strings.Split("the first: "+r.First.String(), "\n")...)
	}
	return lines
}
