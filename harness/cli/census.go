package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/census"
	"github.com/nolive/nolive/harness/scenario"
)

// censusCommand is `nolive census`.
type censusCommand struct {
	Engine string   `default:"sim,reference" help:"Engines, separated by commas: sim, reference, nginx."`
	Method []string `default:"GET,POST" help:"Methods, separated by commas."`
	Peers  []int    `default:"1,2,3" help:"Sizes of the groups, separated by commas: 1 to 9."`
	Nginx  string   `name:"nginx-binary" placeholder:"PATH" help:"The nginx to run; default is the one on PATH."`
}

// tries is how often an engine whose run proves nothing is asked again.
const tries = 3

// Run asks every engine every question and prints the answers as a table.
func (c *censusCommand) Run(ctx context.Context, io Streams) error {
	engines, err := harness.ParseEngines(c.Engine)
	if err != nil {
		return badInput{fmt.Errorf("--engine: %w", err)}
	}
	for _, n := range c.Peers {
		if n < 1 || n > 9 {
			return badInput{fmt.Errorf("--peers: want 1 to 9, got %d", n)}
		}
	}
	questions := census.Questions(c.Method, c.Peers)
	if len(questions) == 0 {
		return badInput{fmt.Errorf("--method: no example is met by %s", strings.Join(c.Method, ", "))}
	}
	for _, m := range c.Method { // a mistake in one is one in every question
		one := census.Questions([]string{m}, c.Peers[:1])
		if _, problems := scenario.Parse("census.yaml", []byte(census.Scenario(one[:min(len(one), 1)])), nil); len(one) > 0 && len(problems) > 0 {
			return badInput{fmt.Errorf("--method: %s", strings.TrimPrefix(problems[0].Text, "request: "))}
		}
	}
	file, problems := scenario.Parse("census.yaml", []byte(census.Scenario(questions)), nil)
	if err := problems.Err(); err != nil {
		return badInput{fmt.Errorf("--method: %w", err)}
	}
	runner := harness.Runner{NginxBinary: c.Nginx}
	if slices.Contains(engines, harness.Nginx) {
		// Its rules are those of the model too; without one, the run says what's wrong.
		if v, err := runner.FindNginx(ctx); err == nil {
			runner.DefaultVersion = v
		}
	}
	answers := map[harness.Engine][]census.Answer{}
	late := map[harness.Engine]time.Duration{}
	for _, e := range engines {
		for try := 1; ; try++ {
			r, err := runner.Run(ctx, file.Scenarios[0], e)
			if err != nil {
				return err
			}
			if r.Valid() {
				answers[e] = census.Answers(r, questions)
				late[e] = 2 * (r.Send.Max + r.Wait.Max)
				break
			}
			if try == tries || ctx.Err() != nil {
				fmt.Fprintf(io.Err, "%s: %s\n", e, r.Invalid)
				return status(NoRun)
			}
		}
	}
	return c.print(io, engines, questions, answers, late)
}

// print writes the answers of the truest engine, and what the others don't agree to.
func (c *censusCommand) print(io Streams, engines []harness.Engine, questions []census.Question, answers map[harness.Engine][]census.Answer, late map[harness.Engine]time.Duration) error {
	truth := engines[0]
	for _, e := range harness.Engines() {
		if slices.Contains(engines, e) {
			truth = e
		}
	}
	census.Table(io.Out, questions, answers[truth])
	code := Holds
	for _, e := range engines {
		for i, q := range questions {
			a, b := answers[truth][i], answers[e][i]
			if e == truth || a.Same(b, 200*time.Millisecond+late[e]+late[truth]) {
				continue
			}
			why := "a race decides " + q.Race()
			if q.Race() == "" {
				code, why = Failed, "not explained"
			}
			fmt.Fprintf(io.Err, "%s, %s, group of %d: %v on %s, but %v on %s: %s\n", q.Entry.Name, q.Method, q.Peers, a, truth, b, e, why)
		}
	}
	if code != Holds {
		return status(code)
	}
	return nil
}
