package check

import (
	"fmt"
	"strings"

	"github.com/nolive/nolive/harness/analysis"
	"github.com/nolive/nolive/harness/event"
)

// Log asserts how many lines of the proxy's error log contain a text. With no
// count it is at least one.
type Log struct {
	// Contains is the text, with upper and lower case as written. A line is nginx's
	// message and what it was doing, without the time, level, client and upstream.
	Contains string `yaml:"contains"`
	// Count is the number of lines.
	Count Span `yaml:"count,omitempty"`
	// During takes only lines logged in a window.
	During Window `yaml:"during,omitempty"`
}

var _ Definition = Log{}

// Kind is "log".
func (Log) Kind() string { return "log" }

// String is the check as a scenario writes it.
func (c Log) String() string {
	return write(c.Kind()).str("contains", c.Contains).span("count", c.Count).str("during", c.During.String()).String()
}

// Validate implements Definition.
func (c Log) Validate() []Problem {
	var p problems
	p.need("contains", c.Contains, "no live upstreams")
	p.span("count", c.Count, Count)
	p.during(c.During)
	return p
}

// Refs implements Definition.
func (c Log) Refs() Refs { return refs("", "", c.During) }

// Start implements Check.
func (c Log) Start() Judge { return &logJudge{c: c} }

type logJudge struct {
	scope
	c Log
	n int
	sides
	first []string
}

func (j *logJudge) Exchange(x *analysis.Exchange) { j.take(x) }

func (j *logJudge) Log(e event.Event) {
	if !j.c.During.Has(e.At) {
		return
	}
	if !strings.Contains(e.Detail, j.c.Contains) {
		j.others.add(e)
		return
	}
	j.n++
	j.hits.add(e)
	if len(j.first) <= shown {
		j.first = append(j.first, seconds(e.At))
	}
}

func (j *logJudge) Verdict(Run) Verdict {
	want := j.c.Count
	if !want.Set {
		want = AtLeast(1)
	}
	f := finding{want: want.String(), got: "0", ok: want.Has(float64(j.n)), proof: j.against(want, float64(j.n))}
	if j.n > 0 {
		f.got = fmt.Sprintf("%d (at %s)", j.n, listed(j.first, ", ", shown))
	}
	return verdict(j.c, j.nothing(), f)
}
