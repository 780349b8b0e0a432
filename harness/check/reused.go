package check

import (
	"fmt"

	"github.com/nolive/nolive/harness/analysis"
)

// Reused asserts how many attempts used a kept-alive connection to a backend.
type Reused struct {
	// Of is the traffic; without it all traffic counts.
	Of string `yaml:"of,omitempty"`
	// Backend is the backend; "*" asserts it of every one by itself.
	Backend string `yaml:"backend,omitempty"`
	// Count is the number of attempts.
	Count Span `yaml:"count"`
	// During takes only attempts started in a window.
	During Window `yaml:"during,omitempty"`
}

var _ Definition = Reused{}

// Kind is "reused".
func (Reused) Kind() string { return "reused" }

// String is the check as a scenario writes it.
func (c Reused) String() string {
	return write(c.Kind()).str("of", c.Of).str("backend", c.Backend).span("count", c.Count).str("during", c.During.String()).String()
}

// Validate implements Definition.
func (c Reused) Validate() []Problem {
	var p problems
	if c.Of == "" && c.Backend == "" {
		p.add("", "says neither whose attempts nor on what: write of: curl, backend: app1, or both")
	}
	p.given("count", c.Count, `"> 0"`)
	p.span("count", c.Count, Count)
	p.during(c.During)
	return p
}

// Refs implements Definition.
func (c Reused) Refs() Refs { return refs(c.Of, c.Backend, c.During) }

// Start implements Check.
func (c Reused) Start() Judge {
	j := &reusedJudge{scope: scope{of: c.Of}, c: c}
	j.on.backend = c.Backend // anywhere without one
	return j
}

type reusedJudge struct {
	scope
	c  Reused
	on perBackend[attemptTally]
}

func (j *reusedJudge) Exchange(x *analysis.Exchange) {
	if !j.take(x) {
		return
	}
	for i := range x.Attempts {
		a := &x.Attempts[i]
		name := a.Peer
		if j.c.Backend == "" {
			name = anywhere
		}
		t := j.on.of(name)
		if t == nil || !j.c.During.Has(a.Started) {
			continue
		}
		t.here++
		side := &t.others
		if a.Cached {
			t.hits++
			side = &t.sides.hits
		}
		if !side.full() {
			side.add(start(x, i))
		}
	}
}

func (j *reusedJudge) Verdict(run Run) Verdict {
	return verdict(j.c, j.nothing(), j.on.judge(run, func(_ string, t *attemptTally) finding {
		n := float64(t.hits)
		return finding{
			want: j.c.Count.String(), got: fmt.Sprintf("%d of %s", t.hits, plural(t.here, "attempt")),
			ok: j.c.Count.Has(n), proof: t.against(j.c.Count, n),
		}
	}))
}
