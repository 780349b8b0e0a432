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
	JSON  string `name:"json" placeholder:"FILE" help:"Write what the model says as JSON; - is standard output, and the report goes to standard error."`
}

// Run replays every run of the log. A decision that the model doesn't explain
// is a failure.
func (c *replayCommand) Run(io Streams, raw terminal) error {
	f, err := os.Open(c.File)
	if err != nil {
		return badInput{fmt.Errorf("%s: %w", c.File, reason(err))}
	}
	defer f.Close()
	runs, err := harness.ReadLog(f)
	if err != nil {
		return badInput{fmt.Errorf("%s: %w", c.File, reason(err))}
	}
	out, err := openOutputs(c.JSON, "", "", raw.Writer)
	if err != nil {
		return badInput{err}
	}
	defer out.close()
	if c.JSON == stdout {
		io = Streams{Out: colours(io.Err, io.Err), Err: io.Err}
	}
	code := Holds
	var all []report.Replay
	for i := range runs {
		r := c.replay(&runs[i])
		showReplay(io, r, c.Judge)
		if !r.OK() {
			code = Failed
		}
		all = append(all, r)
	}
	if out.json != nil {
		if err := report.ReplayJSON(out.json, all); err != nil {
			return err
		}
	}
	if err := out.close(); err != nil {
		return err
	}
	if code != Holds {
		return status(code)
	}
	return nil
}

// replay is what the model says of one run.
func (c *replayCommand) replay(s *harness.Stored) report.Replay {
	r := report.Replay{Stored: s, Upstreams: s.Replay()}
	if c.Judge {
		r.Verdicts = harness.Judge(s.Run, s.Events, s.End(), s.Run.Expect)
	}
	return r
}

// showReplay writes it.
func showReplay(io Streams, r report.Replay, judged bool) {
	fmt.Fprintf(io.Out, "%s on %s, seed %d\n", r.Stored.Run.Title(), r.Stored.Engine, r.Stored.Seed)
	for _, u := range r.Upstreams {
		for _, line := range explained(u) {
			fmt.Fprintln(io.Out, "  "+line)
		}
	}
	if judged {
		report.Verdicts(io.Out, r.Verdicts, io.Width)
	}
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
