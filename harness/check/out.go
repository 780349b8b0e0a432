package check

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nolive/nolive/harness/analysis"
	"github.com/nolive/nolive/harness/event"
)

// Out asserts how a backend was out of rotation: stretches from a mark to the
// next attempt on it. With nothing but a backend it asserts that there was one.
type Out struct {
	// Backend is the backend; "*" asserts it of every one by itself.
	Backend string `yaml:"backend"`
	// For is the length of every stretch that ended within the run. It fails
	// when there is no such stretch, unless Times allows none.
	For Span `yaml:"for,omitempty"`
	// Times is the number of stretches, one that is open at the end included.
	Times Span `yaml:"times,omitempty"`
	// Still says whether one is open at the end of the run.
	Still Truth `yaml:"still,omitempty"`
	// During takes only stretches that began in a window.
	During Window `yaml:"during,omitempty"`
}

var _ Definition = Out{}

// Kind is "out".
func (Out) Kind() string { return "out" }

// String is the check as a scenario writes it.
func (c Out) String() string {
	return write(c.Kind()).str("backend", c.Backend).span("for", c.For).span("times", c.Times).
		value("still", c.Still.String()).str("during", c.During.String()).String()
}

// Validate implements Definition.
func (c Out) Validate() []Problem {
	var p problems
	p.need("backend", c.Backend, "app1")
	p.span("for", c.For, Seconds)
	p.span("times", c.Times, Count)
	if c.Times.Set && c.Still == Yes && !c.Times.above(0) && c.Times.Hi < 1 {
		p.add("still", "one that is open contradicts times: %s", c.Times)
	}
	p.during(c.During)
	return p
}

// Refs implements Definition.
func (c Out) Refs() Refs { return refs("", c.Backend, c.During) }

// Start implements Check.
func (c Out) Start() Judge {
	j := &outJudge{c: c}
	j.on.backend = c.Backend
	return j
}

type outJudge struct {
	scope
	c  Out
	on perBackend[outTally]
}

type outTally struct {
	n, ended int
	lengths  []string // of the first ones that ended
	bad      int      // ended, of another length than wanted
	worst    string
	missed   time.Duration // the most that one of them missed by
	open     bool          // the last one is
	wrong    proof         // bounds of those of a bad length
	all      proof
	last     analysis.Stretch
}

func (j *outJudge) Exchange(x *analysis.Exchange) { j.take(x) }

func (j *outJudge) Stretch(s analysis.Stretch) {
	t := j.on.of(s.Peer)
	if t == nil || !j.c.During.Has(s.From) {
		return
	}
	t.n++
	t.last, t.open = s, s.Open
	t.all.stretch(s)
	if s.Open {
		return
	}
	t.ended++
	if len(t.lengths) <= shown {
		t.lengths = append(t.lengths, seconds(s.Len()))
	}
	if want := j.c.For; want.Set && !want.Has(s.Len().Seconds()) {
		if t.bad++; t.worst == "" {
			t.worst = seconds(s.Len())
		}
		t.missed = max(t.missed, want.miss(s.Len().Seconds()))
		t.wrong.stretch(s)
	}
}

func (j *outJudge) Verdict(run Run) Verdict {
	return verdict(j.c, j.nothing(), j.on.judge(run, func(_ string, t *outTally) finding { return j.find(t) }))
}

func (j *outJudge) find(t *outTally) finding {
	f := finding{ok: true, got: t.String()}
	var want []string
	blame := func(ok bool, p []event.Event) {
		if !ok {
			f.ok, f.proof = false, append(f.proof, p...)
		}
	}
	// others is blame for what no timing excuses.
	others := func(ok bool, p []event.Event) {
		blame(ok, p)
		if !ok {
			f.missed = 0
		}
	}
	var last proof
	if t.n > 0 {
		last.stretch(t.last)
	}
	c := j.c
	if c.For.Set {
		want = append(want, "for "+c.For.String())
		blame(t.bad == 0, t.wrong)
		f.missed = t.missed
		others(t.ended > 0 || c.Times.Set && c.Times.Has(0), last)
	}
	if c.Times.Set {
		want = append(want, "times "+c.Times.String())
		others(c.Times.Has(float64(t.n)), t.all)
	}
	if c.Still != Unsaid {
		want = append(want, "still "+c.Still.String())
		others(t.open == (c.Still == Yes), last)
	}
	if want == nil {
		want = []string{"times >= 1"}
		others(t.n > 0, nil)
	}
	f.want = strings.Join(want, ", ")
	return f
}

// String is "3 (50.0s, 50.0s), still out since 170.1s".
func (t *outTally) String() string {
	if t.n == 0 {
		return "never out"
	}
	s := fmt.Sprint(t.n)
	if t.ended > 0 {
		s += " (" + listed(t.lengths, ", ", shown) + ")"
	}
	if t.bad > 0 && !slices.Contains(t.lengths[:min(shown, len(t.lengths))], t.worst) {
		s += fmt.Sprintf(", %d of another length such as %s", t.bad, t.worst)
	}
	if t.open {
		s += ", still out since " + seconds(t.last.From)
	}
	return s
}
