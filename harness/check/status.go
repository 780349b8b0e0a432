package check

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/nolive/nolive/harness/analysis"
)

// Status asserts how many responses to a traffic's clients had a status. With
// no count every one of them must have it.
type Status struct {
	// Of is the traffic.
	Of string `yaml:"of"`
	// Is is the status: 200, 5xx, closed, truncated, client_timeout,
	// client_refused or unfinished.
	Is Answer `yaml:"is"`
	// Count is the number of responses with it.
	Count Span `yaml:"count,omitempty"`
	// During takes only requests sent in a window.
	During Window `yaml:"during,omitempty"`
}

var _ Definition = Status{}

// Kind is "status".
func (Status) Kind() string { return "status" }

// String is the check as a scenario writes it.
func (c Status) String() string {
	return write(c.Kind()).str("of", c.Of).str("is", string(c.Is)).span("count", c.Count).str("during", c.During.String()).String()
}

// Validate implements Definition.
func (c Status) Validate() []Problem {
	var p problems
	p.need("of", c.Of, "curl")
	p.need("is", string(c.Is), "200")
	p.answer("is", c.Is)
	p.span("count", c.Count, Count)
	p.during(c.During)
	return p
}

// Refs implements Definition.
func (c Status) Refs() Refs { return refs(c.Of, "", c.During) }

// Start implements Check.
func (c Status) Start() Judge {
	is, _ := c.Is.selector()
	return &statusJudge{scope: scope{of: c.Of, during: c.During}, c: c, is: is}
}

type statusJudge struct {
	scope
	c  Status
	is selector
	tally
}

func (j *statusJudge) Exchange(x *analysis.Exchange) {
	if j.take(x) {
		j.add(x, j.is)
	}
}

func (j *statusJudge) Verdict(Run) Verdict {
	f := finding{want: "all", ok: j.hits == j.in, proof: j.sides.others, got: fmt.Sprintf("%d of %d%s", j.hits, j.in, j.rest())}
	if j.c.Count.Set {
		f.want, f.ok, f.proof = j.c.Count.String(), j.c.Count.Has(float64(j.hits)), j.against(j.c.Count, float64(j.hits))
	}
	return verdict(j.c, j.nothingSent(), f)
}

// tally counts what clients saw against one answer.
type tally struct {
	sides
	hits  int
	other []seenCount
}

type seenCount struct {
	seen analysis.Seen
	n    int
}

func (t *tally) add(x *analysis.Exchange, is selector) {
	seen := x.Seen()
	if is.matches(seen) {
		t.hits++
		if !t.sides.hits.full() {
			t.sides.hits.add(response(x))
		}
		return
	}
	if !t.others.full() {
		t.others.add(response(x))
	}
	for i := range t.other {
		if t.other[i].seen == seen {
			t.other[i].n++
			return
		}
	}
	t.other = append(t.other, seenCount{seen, 1})
}

// rest tells what else was seen: ", and 3 x 502".
func (t *tally) rest() string {
	slices.SortFunc(t.other, func(a, b seenCount) int {
		less := 1
		if a.seen.Less(b.seen) {
			less = -1
		}
		return cmp.Or(cmp.Compare(b.n, a.n), less)
	})
	var parts []string
	for _, o := range t.other {
		parts = append(parts, fmt.Sprintf("%d x %s", o.n, o.seen))
	}
	if parts == nil {
		return ""
	}
	return ", and " + listed(parts, ", ", 4)
}
