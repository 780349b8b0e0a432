package check

import (
	"fmt"

	"github.com/nolive/nolive/harness/analysis"
	"github.com/nolive/nolive/harness/event"
)

// Marked asserts how often a backend was marked: counted failures at or above
// max_fails, nginx's line "upstream server temporarily disabled". A failed
// probe and a straggler count again. With no times it is at least once.
type Marked struct {
	// Backend is the backend; "*" asserts it of every one by itself.
	Backend string `yaml:"backend"`
	// Times is the number of marks.
	Times Span `yaml:"times,omitempty"`
	// During takes only marks in a window.
	During Window `yaml:"during,omitempty"`
}

var _ Definition = Marked{}

// Kind is "marked".
func (Marked) Kind() string { return "marked" }

// String is the check as a scenario writes it.
func (c Marked) String() string {
	return write(c.Kind()).str("backend", c.Backend).span("times", c.Times).str("during", c.During.String()).String()
}

// Validate implements Definition.
func (c Marked) Validate() []Problem {
	var p problems
	p.need("backend", c.Backend, "app1")
	p.span("times", c.Times, Count)
	p.during(c.During)
	return p
}

// Refs implements Definition.
func (c Marked) Refs() Refs { return refs("", c.Backend, c.During) }

// Start implements Check.
func (c Marked) Start() Judge {
	j := &markedJudge{c: c}
	j.on.backend = c.Backend
	return j
}

type markedJudge struct {
	scope
	c  Marked
	on perBackend[markTally]
}

type markTally struct {
	n     int
	first []string // instants
	marks proof
	// failed are attempts that failed and didn't mark.
	failed proof
}

func (j *markedJudge) Exchange(x *analysis.Exchange) {
	j.take(x)
	for i := range x.Attempts {
		a := &x.Attempts[i]
		if a.Marked || a.Outcome < event.Refused || a.Outcome > event.Listed || !j.c.During.Has(a.Ended) {
			continue
		}
		if t := j.on.of(a.Peer); t != nil && !t.failed.full() {
			t.failed.add(end(x, i))
		}
	}
}

func (j *markedJudge) Mark(m analysis.Mark) {
	t := j.on.of(m.Peer)
	if t == nil || !j.c.During.Has(m.At) {
		return
	}
	t.n++
	if len(t.first) <= shown {
		t.first = append(t.first, seconds(m.At))
	}
	t.marks.add(event.Event{
		At: m.At, Kind: event.PeerMarked, Request: m.Request, Try: m.Try, Peer: m.Peer, Upstream: m.Upstream, Worker: m.Worker,
	})
}

func (j *markedJudge) Verdict(run Run) Verdict {
	want := j.c.Times
	if !want.Set {
		want = AtLeast(1)
	}
	return verdict(j.c, j.nothing(), j.on.judge(run, func(_ string, t *markTally) finding {
		f := finding{want: want.String(), ok: want.Has(float64(t.n)), got: "0", proof: t.marks}
		if t.n > 0 {
			f.got = fmt.Sprintf("%d (at %s)", t.n, listed(t.first, ", ", shown))
		}
		if !want.above(float64(t.n)) {
			f.proof = append(t.marks[:len(t.marks):len(t.marks)], t.failed...)
		}
		return f
	}))
}
