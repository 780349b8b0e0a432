package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/agree"
)

// agreeCommand is `nolive agree`.
type agreeCommand struct {
	Seeds    int           `default:"1000" help:"How many random cases to draw."`
	From     seed          `placeholder:"S" help:"The first seed; default a fresh one, which is printed."`
	Keep     string        `type:"path" placeholder:"DIR" help:"Write each difference, as small as it gets, into this folder."`
	Engines  string        `default:"reference,nginx" help:"The engines to hold against the simulator, separated by commas."`
	Nginx    string        `name:"nginx-binary" placeholder:"PATH" help:"The nginx to run; default is the one on PATH."`
	Speed    float64       `default:"1" help:"Scenario seconds per real second. 1 is the surest."`
	Together int           `default:"1000" help:"How many cases run at the same time."`
	Shrink   time.Duration `default:"2m" help:"How long to go on making a case that differs smaller; 0 prints it as it is."`
	Show     bool          `help:"Print the case of the first seed instead of running anything."`
}

// Run draws cases, runs them, and shrinks and prints those that differ.
func (c *agreeCommand) Run(ctx context.Context, io Streams) error {
	engines, err := harness.ParseEngines(c.Engines)
	if err != nil {
		return badInput{fmt.Errorf("--engines: %w", err)}
	}
	engines = slices.DeleteFunc(engines, func(e harness.Engine) bool { return e == harness.Sim })
	switch {
	case len(engines) == 0:
		return badInput{fmt.Errorf("--engines: want reference or nginx, got %q", c.Engines)}
	case c.Seeds < 1:
		return badInput{fmt.Errorf("--seeds: want at least 1, got %d", c.Seeds)}
	case c.Together < 1:
		return badInput{fmt.Errorf("--together: want at least 1, got %d", c.Together)}
	case c.Speed < 1:
		return badInput{fmt.Errorf("--speed: want at least 1, got %g", c.Speed)}
	}
	version, err := harness.Runner{NginxBinary: c.Nginx}.FindNginx(ctx)
	if err != nil && slices.Contains(engines, harness.Nginx) && !c.Show {
		return err
	}
	from := c.From.value
	if !c.From.set {
		from = uint64(time.Now().UnixMilli())
	}
	if c.Show {
		one, err := agree.Draw(from, version)
		if err != nil {
			return err
		}
		fmt.Fprint(io.Out, one.Text.Text())
		return nil
	}
	fmt.Fprintf(io.Out, "seeds %d to %d (--from %d --seeds %d)\n", from, from+uint64(c.Seeds)-1, from, c.Seeds)
	o := agree.Options{Engines: engines, Nginx: c.Nginx, Speed: c.Speed, Together: c.Together, Shrinking: max(c.Shrink, 1),
		Say: func(p agree.Progress) { fmt.Fprintln(io.Out, p) }}
	var tally agree.Tally
	code := Holds
	for done := 0; done < c.Seeds; {
		n := min(c.Together, c.Seeds-done)
		cases, err := agree.DrawAll(from+uint64(done), n, version)
		if err != nil {
			return err
		}
		findings, err := o.Check(ctx, cases)
		if err != nil {
			return err
		}
		tally.Add(findings)
		for i := range findings {
			if findings[i].Verdict == agree.Differs {
				code = Failed
				if err := c.report(ctx, io, o, findings[i]); err != nil {
					return err
				}
			}
		}
		done += n
	}
	fmt.Fprint(io.Out, tally.String())
	if code == Holds && tally.Undecided() > 0 {
		code = NoRun
	}
	if code != Holds {
		return status(code)
	}
	return nil
}

// report shrinks one difference and prints it as a scenario.
func (c *agreeCommand) report(ctx context.Context, io Streams, o agree.Options, f agree.Finding) error {
	fmt.Fprintln(io.Out, f.String())
	small, err := o.Shrink(ctx, f)
	if err != nil {
		return err
	}
	text := small.Text()
	fmt.Fprintf(io.Out, "the smallest case:\n%s\n%s\n", text, small.String())
	if c.Keep == "" {
		return nil
	}
	name := filepath.Join(c.Keep, fmt.Sprintf("%s-%s.yaml", strings.TrimSpace(f.Case.Name), f.Engine))
	if err := os.MkdirAll(c.Keep, 0o777); err != nil {
		return err
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		return err
	}
	fmt.Fprintln(io.Out, "kept as", name)
	return nil
}
