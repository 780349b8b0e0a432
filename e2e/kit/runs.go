package kit

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/nolive/nolive/harness"
)

// busy is how many of the runs that keep a core busy go on side by side: more would
// only be late together. As long as there are any, no more than beside of the others
// go on, and the short ones first: what is repeated because it was late costs little.
const busy, beside = 3, 3

// Runs are the runs of a suite. They go on side by side in the background, and
// specs, which come one after another, take their results: so no spec waits for
// scenario time that another one waits for too, and a run serves every spec that
// asks for it.
//
// That is why the suites don't run with ginkgo -p. Its processes share nothing, so
// each would repeat the runs that its specs ask for, none would know how much goes
// on beside it, and a spec that waits holds up a process. Two cores are kept busy by
// two packages at once, as go test runs them, and by the runs within each.
type Runs struct {
	*leftovers
	ctx    context.Context
	stop   context.CancelFunc
	atOnce int
	heavy  chan struct{}

	mu   sync.Mutex
	left *sync.Cond // of mu: a run is over
	on   int        // how many go on that keep no core busy
	more int        // how many there still are that do
	all  map[string]*future
}

// NewRuns prepares the runs of a suite, whose files go to a folder of its name. At
// most atOnce of them go on side by side on sockets, beside the busy ones; they
// mostly wait, and one that others disturb too much says so and is repeated. Call it
// once, at the top level: it looks after what failed specs leave, and at the end
// waits for everything that still goes on.
func NewRuns(suite string, atOnce int) *Runs {
	r := &Runs{leftovers: &leftovers{suite: suite, kept: map[string]bool{}}, all: map[string]*future{},
		atOnce: atOnce, heavy: make(chan struct{}, busy)}
	r.left = sync.NewCond(&r.mu)
	r.ctx, r.stop = context.WithCancel(context.Background())
	BeforeEach(r.leftovers.reset)
	AfterEach(r.leftovers.report)
	AfterSuite(r.end)
	return r
}

// Begin starts runs, the longest first, so that none is left over at the end.
func (r *Runs) Begin(runs ...Run) {
	GinkgoHelper()
	for i := range runs {
		if runs[i].Length == 0 {
			runs[i].Length = harness.Length(runs[i].Scenario)
		}
	}
	runs = slices.Clone(runs)
	slices.SortStableFunc(runs, func(a, b Run) int { return cmp.Compare(b.Length, a.Length) })
	// The simulator's go one by one: they take milliseconds and a whole core.
	var virtual, light, heavy []*future
	for _, one := range runs {
		f := &future{Run: one, folder: r.Folder(one.Name), done: make(chan struct{})}
		r.mu.Lock()
		taken := r.all[one.Name] != nil
		r.all[one.Name] = f
		r.mu.Unlock()
		Expect(taken).To(BeFalse(), "two runs are called %s", one.Name)
		switch {
		case one.Engine == harness.Sim:
			virtual = append(virtual, f)
		case one.Busy:
			heavy = append(heavy, f)
		default:
			light = append(light, f)
		}
	}
	go func() {
		for _, f := range virtual {
			f.run(r.ctx)
		}
	}()
	r.count(0, len(heavy))
	go r.through(heavy)
	go r.throughLight(light)
}

// through runs runs that keep a core busy.
func (r *Runs) through(list []*future) {
	for _, f := range list {
		r.heavy <- struct{}{}
		go func() {
			f.run(r.ctx)
			<-r.heavy
			r.count(0, -1)
		}()
	}
}

// throughLight runs the others, the longest first.
func (r *Runs) throughLight(list []*future) {
	for len(list) > 0 {
		f := list[0]
		if r.room() {
			list = list[1:]
		} else {
			f, list = list[len(list)-1], list[:len(list)-1]
		}
		go func() {
			f.run(r.ctx)
			r.count(-1, 0)
		}()
	}
}

// room waits for room for one of the others. It is false as long as there are runs
// that keep a core busy.
func (r *Runs) room() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.on >= r.atOnce || r.more > 0 && r.on >= beside {
		r.left.Wait()
	}
	r.on++
	return r.more == 0
}

func (r *Runs) count(on, more int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.on += on
	r.more += more
	r.left.Broadcast()
}

// Result waits for a run that was begun. One that could not happen or proves
// nothing fails the spec: here nothing is skipped.
func (r *Runs) Result(ctx context.Context, name string) *harness.Result {
	GinkgoHelper()
	r.mu.Lock()
	f := r.all[name]
	r.mu.Unlock()
	Expect(f).NotTo(BeNil(), "no such run: %s", name)
	r.leaves(f.folder, f.leave)
	if suite, _ := GinkgoConfiguration(); len(suite.FocusStrings) > 0 || suite.LabelFilter != "" {
		go f.run(r.ctx) // now, whatever stands before it: few are asked for
	}
	Eventually(ctx, f.done).Should(BeClosed(), "%s takes too long", name)
	Expect(f.err).NotTo(HaveOccurred(), "%s", name)
	Show(name, f.result)
	Expect(f.result.Invalid).To(BeEmpty(), "%s proves nothing", name)
	return f.result
}

// Over waits until none of the runs that were begun goes on any more.
func (r *Runs) Over(ctx context.Context) {
	GinkgoHelper()
	r.mu.Lock()
	all := slices.Collect(maps.Values(r.all))
	r.mu.Unlock()
	for _, f := range all {
		Eventually(ctx, f.done).Should(BeClosed(), "%s takes too long", f.Name)
	}
}

// Do begins runs and waits for all of them.
func (r *Runs) Do(ctx context.Context, runs ...Run) []*harness.Result {
	GinkgoHelper()
	r.Begin(runs...)
	var results []*harness.Result
	for _, one := range runs {
		results = append(results, r.Result(ctx, one.Name))
	}
	return results
}

// end stops what is left and waits for it, so that no process and no container
// stays behind, and removes what no failed spec needs.
func (r *Runs) end() {
	r.stop()
	for _, f := range r.all {
		<-f.done
	}
	r.remove()
}
