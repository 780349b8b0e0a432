package check

import (
	"fmt"
	"time"

	"github.com/nolive/nolive/harness/analysis"
)

// InRotation asserts that a backend was to be picked, at an instant or
// throughout a window: that no stretch out of rotation, of any upstream, covers
// the instant or touches the window. With `is: false` it is the opposite: one
// stretch covers all of it.
type InRotation struct {
	// Backend is the backend; "*" asserts it of every one by itself.
	Backend string `yaml:"backend"`
	// At is the instant.
	At Instant `yaml:"at,omitempty"`
	// During is the window; without it and without At it is the whole run.
	During Window `yaml:"during,omitempty"`
	// Is is true when not said.
	Is Truth `yaml:"is,omitempty"`
}

var _ Definition = InRotation{}

// Kind is "in_rotation".
func (InRotation) Kind() string { return "in_rotation" }

// String is the check as a scenario writes it.
func (c InRotation) String() string {
	t := write(c.Kind()).str("backend", c.Backend)
	if c.At.Set {
		t.str("at", written(c.At.T))
	}
	return t.str("during", c.During.String()).value("is", c.Is.String()).String()
}

// Validate implements Definition.
func (c InRotation) Validate() []Problem {
	var p problems
	p.need("backend", c.Backend, "app1")
	if c.At.Set && !c.During.Whole() {
		p.add("at", "contradicts during: write one of them")
	}
	if c.At.T < 0 {
		p.add("at", "%s is before the run", c.At.T)
	}
	if c.Is == No && !c.At.Set && c.During.Whole() {
		p.add("is", "false for the whole run is impossible: a backend is out only after an attempt on it; write at or during")
	}
	p.during(c.During)
	return p
}

// Refs implements Definition.
func (c InRotation) Refs() Refs {
	if c.At.Set {
		return refs("", c.Backend, Window{c.At.T, c.At.T + time.Nanosecond})
	}
	return refs("", c.Backend, c.During)
}

// Start implements Check.
func (c InRotation) Start() Judge {
	j := &inRotationJudge{c: c}
	j.on.backend = c.Backend
	return j
}

type inRotationJudge struct {
	scope
	c  InRotation
	on perBackend[rotationTally]
}

type rotationTally struct {
	tried bool
	// touched counts stretches that touch the window.
	touched int
	first   string
	proof   proof
	// cover is the stretch from before the window that reaches furthest.
	cover   analysis.Stretch
	covered bool
	// probed are attempts within the window.
	probed proof
}

func (j *inRotationJudge) Exchange(x *analysis.Exchange) {
	j.take(x)
	for i := range x.Attempts {
		t := j.on.of(x.Attempts[i].Peer)
		if t == nil {
			continue
		}
		t.tried = true
		if w := j.c.Refs().During; !t.probed.full() && w.Has(x.Attempts[i].Started) {
			t.probed.add(start(x, i))
		}
	}
}

func (j *inRotationJudge) Stretch(s analysis.Stretch) {
	t := j.on.of(s.Peer)
	if t == nil {
		return
	}
	w := j.c.Refs().During
	if (w.To == 0 || s.From < w.To) && (s.To > w.From || s.Open) {
		if t.touched++; t.first == "" {
			t.first = fmt.Sprintf("out from %s to %s", seconds(s.From), seconds(s.To))
			if s.Open {
				t.first = fmt.Sprintf("out from %s to the end", seconds(s.From))
			}
		}
		t.proof.stretch(s)
	}
	if s.From <= w.From && s.To > w.From && (!t.covered || s.To > t.cover.To) {
		t.cover, t.covered = s, true
	}
}

func (j *inRotationJudge) Verdict(run Run) Verdict {
	return verdict(j.c, j.nothing(), j.on.judge(run, func(_ string, t *rotationTally) finding {
		if j.c.Is == No {
			return j.findOut(run, t)
		}
		f := finding{want: "in rotation" + j.when(), got: "in rotation", ok: t.tried && t.touched == 0, proof: t.proof}
		switch {
		case !t.tried:
			f.got = "no attempt on it was seen"
		case t.touched == 1:
			f.got = t.first
		case t.touched > 1:
			f.got = fmt.Sprintf("%s, and %s", t.first, plural(t.touched-1, "more time"))
		}
		return f
	}))
}

func (j *inRotationJudge) findOut(run Run, t *rotationTally) finding {
	w := j.c.Refs().During
	if w.To == 0 {
		w.To = run.End
	}
	f := finding{want: "out" + j.when(), proof: t.probed}
	switch {
	case !t.covered:
		f.got = "in rotation at " + seconds(w.From)
	case t.cover.To < w.To && !t.cover.Open:
		f.got = fmt.Sprintf("out from %s to %s only", seconds(t.cover.From), seconds(t.cover.To))
	default:
		f.ok, f.got = true, t.first
	}
	return f
}

// when is the rest of a sentence.
func (j *inRotationJudge) when() string {
	switch {
	case j.c.At.Set:
		return " at " + written(j.c.At.T)
	case j.c.During.Whole():
		return " throughout the run"
	}
	return " throughout " + j.c.During.String()
}
