package kit

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/onsi/ginkgo/v2"

	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/report"
	"github.com/nolive/nolive/harness/scenario"
)

// Run is one run that specs ask for.
type Run struct {
	// Name is what the run and its folder are called, unique in the suite.
	Name string
	// Scenario is what to run on Engine, and File where it is from.
	Scenario *scenario.Scenario
	File     *scenario.File
	Engine   harness.Engine
	// Runner says how. Its Speed is 0: how fast a run may be its scenario says, and
	// what the machine disturbed is repeated slower. Its DefaultVersion is the judge's
	// unless it has one.
	Runner harness.Runner
	// Length is about how long it takes, in real time; 0 is what its load tells.
	Length time.Duration
	// Busy is true for a run of so many requests that it takes a core by itself.
	Busy bool
	// Proves says why a run whose own timing was good enough proves nothing all the
	// same, such as one whose proxy was late; "" when it does prove something, a
	// failure too. It may be nil.
	Proves func(*harness.Result) string
}

// tries is how many times a run is tried when Proves refuses it: twice as it is, as
// what disturbed it may be over, and then slower each time.
const tries = 5

// future is a run that a spec can wait for.
type future struct {
	Run
	folder string
	once   sync.Once
	done   chan struct{}
	result *harness.Result
	err    error
}

// run runs it until it proves something. What it says that it proves nothing by
// stands in the result, so that no spec takes it for more.
func (f *future) run(ctx context.Context) { f.once.Do(func() { f.try(ctx) }) }

func (f *future) try(ctx context.Context) {
	defer close(f.done)
	runner, s := f.Runner, *f.Scenario
	if f.Engine == harness.Nginx {
		runner.NginxDir = f.folder
	}
	if runner.DefaultVersion.IsZero() {
		runner.DefaultVersion = Version()
	}
	var before []string
	for try := 1; ; try++ {
		f.result, f.err = runner.Run(ctx, &s, f.Engine)
		if f.err != nil {
			return
		}
		r := f.result
		r.Abandoned = append(before, r.Abandoned...)
		if f.Proves == nil || !r.Valid() {
			return
		}
		r.Invalid = f.Proves(r)
		if r.Valid() || try == tries || f.Engine == harness.Sim || ctx.Err() != nil {
			return
		}
		before = append(r.Abandoned, fmt.Sprintf("at speed %g %s", r.Speed, r.Invalid))
		if try > 1 {
			s.MaxSpeed = max(1, r.Speed/2)
		}
	}
}

// leave writes what a failed spec leaves of the run beside nginx's own files.
func (f *future) leave() error {
	select {
	case <-f.done:
	default:
		return nil // it is still going on
	}
	if f.result == nil {
		return nil // it couldn't happen
	}
	return write(f.folder, f.result, f.File)
}

// Text is a result as the terminal shows it, with a lane for each backend.
func Text(r *harness.Result) string {
	var b strings.Builder
	report.Text(&b, r, 120)
	return b.String()
}

// Show adds the result to the spec's report.
func Show(name string, r *harness.Result) {
	ginkgo.AddReportEntry(name, ginkgo.ReportEntryVisibilityFailureOrVerbose, ginkgo.Offset(1), shown{r})
}

// shown is a result as text, which is made when somebody looks at it.
type shown struct{ r *harness.Result }

func (s shown) String() string { return Text(s.r) }

// MarshalJSON is the text too: JUnit would have every event of the run.
func (s shown) MarshalJSON() ([]byte, error) { return json.Marshal(s.String()) }

// Differences are those of two runs of one plan, a line each.
func Differences(a, b *harness.Result) string {
	var lines []string
	for _, d := range harness.Compare(a, b) {
		lines = append(lines, fmt.Sprint(d))
	}
	return strings.Join(lines, "\n")
}
