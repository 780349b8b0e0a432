package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/scenario"
	"github.com/nolive/nolive/proxy/nginx/container"
)

// selection are the flags that say what is run, and how.
type selection struct {
	Speed string `default:"auto" help:"Scenario seconds per real second, at least 1; auto is as fast as the scenario bears, 30 at most unless it asks for more."`
	Seed  seed   `placeholder:"N" help:"Replaces the scenario's seed."`
	nginxFlags
	tagFlag
	NginxDir string   `name:"nginx-files" type:"path" placeholder:"DIR" help:"Keep the real nginx's configuration and logs in this folder, one in it for each run."`
	Variant  []string `help:"Only these variants; \"base\" is the scenario without one."`
	Parallel int      `default:"6" help:"How many runs on sockets go on at the same time."`
}

// selected is what the flags come to.
type selected struct {
	files   []*scenario.File
	columns []column
	jobs    []job
	left    []skipped
	rules   rules
	runner  harness.Runner
}

// take reads the scenario files and finds the engines, which flag has by name. The
// containers that it needs are pool's.
func (s *selection) take(ctx context.Context, files []string, flag, engines string, pool *container.Pool) (*selected, error) {
	speed, err := parseSpeed(s.Speed)
	if err != nil {
		return nil, badInput{err}
	}
	wanted, err := harness.ParseEngines(engines)
	if err != nil {
		return nil, badInput{fmt.Errorf("%s: %w", flag, err)}
	}
	if s.Parallel < 1 {
		return nil, badInput{fmt.Errorf("--parallel: want at least 1, got %d", s.Parallel)}
	}
	if s.NginxDir != "" && !slices.Contains(wanted, harness.Nginx) {
		return nil, badInput{fmt.Errorf("--nginx-files: the engines %s have no nginx", enumerate(names(wanted), "and"))}
	}
	out := &selected{runner: harness.Runner{Speed: speed, Seed: s.Seed.value, SeedSet: s.Seed.set}}
	if out.files, err = load(files); err != nil {
		return nil, err
	}
	if out.files, err = s.among(out.files); err != nil {
		return nil, err
	}
	if out.columns, err = s.nginxFlags.columns(ctx, wanted, pool); err != nil {
		return nil, badInput{err}
	}
	if out.jobs, out.left, err = jobsOf(out.files, out.columns, s.Variant); err != nil {
		return nil, badInput{err}
	}
	keepFiles(s.NginxDir, out.jobs)
	out.rules = rules{s.Rules.Version, found(ctx, out.columns)}
	out.runner.Version, out.runner.DefaultVersion = out.rules.asked, out.rules.otherwise
	return out, nil
}

// keepFiles gives each nginx a folder in dir, called after its run; "" keeps nothing.
func keepFiles(dir string, jobs []job) {
	if dir == "" {
		return
	}
	taken := map[string]int{}
	for i := range jobs {
		if jobs[i].engine != harness.Nginx {
			continue
		}
		name := strings.NewReplacer("/", "-", " ", "-", ":", "-", "(", "", ")", "").Replace(jobs[i].scenario.Title() + " on " + jobs[i].name)
		if taken[name]++; taken[name] > 1 { // two files of one name
			name = fmt.Sprintf("%s-%d", name, taken[name])
		}
		jobs[i].files = filepath.Join(dir, name)
	}
}
