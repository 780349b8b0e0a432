package check

import (
	"fmt"
	"time"

	"github.com/nolive/nolive/harness/analysis"
)

// Slow asserts how many requests of a traffic took longer than Over, from the
// planned send to the end of the answer. One that the run's end cut off counts
// when it had already waited longer.
type Slow struct {
	// Of is the traffic.
	Of string `yaml:"of"`
	// Over is the time that has to be exceeded.
	Over time.Duration `yaml:"over"`
	// Count is the number of slow requests.
	Count Span `yaml:"count"`
	// During takes only requests sent in a window.
	During Window `yaml:"during,omitempty"`
}

var _ Definition = Slow{}

// Kind is "slow".
func (Slow) Kind() string { return "slow" }

// String is the check as a scenario writes it.
func (c Slow) String() string {
	return write(c.Kind()).str("of", c.Of).str("over", written(c.Over)).span("count", c.Count).str("during", c.During.String()).String()
}

// Validate implements Definition.
func (c Slow) Validate() []Problem {
	var p problems
	p.need("of", c.Of, "curl")
	if c.Over == 0 {
		p.add("over", "is missing: write over: 59s")
	} else if c.Over < 0 {
		p.add("over", "%s is negative", c.Over)
	}
	p.given("count", c.Count, "4")
	p.span("count", c.Count, Count)
	p.during(c.During)
	return p
}

// Refs implements Definition.
func (c Slow) Refs() Refs { return refs(c.Of, "", c.During) }

// Start implements Check.
func (c Slow) Start() Judge {
	return &slowJudge{scope: scope{of: c.Of, during: c.During}, c: c, close: extremes{sign: 1}, barely: extremes{sign: -1}}
}

type slowJudge struct {
	scope
	c       Slow
	n       int
	numbers []int
	proof   proof
	close   extremes // the slowest of those that weren't slow
	barely  extremes // the fastest of those that were
}

func (j *slowJudge) Exchange(x *analysis.Exchange) {
	if !j.take(x) {
		return
	}
	if x.Latency() <= j.c.Over {
		j.close.add(x.Latency(), x)
		return
	}
	j.n++
	j.barely.add(x.Latency(), x)
	if len(j.numbers) <= shownNumbers {
		j.numbers = append(j.numbers, x.Request.N)
	}
	if !j.proof.full() {
		j.proof.add(response(x))
	}
}

func (j *slowJudge) Verdict(Run) Verdict {
	f := finding{want: j.c.Count.String(), ok: j.c.Count.Has(float64(j.n)), proof: j.proof}
	f.got = fmt.Sprintf("%d of %d", j.n, j.in)
	if j.n > 0 {
		f.got += fmt.Sprintf(" (%s)", requests(j.numbers))
	}
	if !j.c.Count.above(float64(j.n)) {
		f.proof = j.close.events()
	}
	f.missed = j.missed()
	return verdict(j.c, j.nothingSent(), f)
}

// missed is by how much the requests would have to be faster, or slower, for the
// count to be allowed; 0 when more are needed than were kept.
func (j *slowJudge) missed() time.Duration {
	for k := range maxEvidence {
		more, fewer := j.c.Count.Has(float64(j.n+k+1)), j.c.Count.Has(float64(j.n-k-1))
		switch {
		case more && k < len(j.close.list):
			return max(j.c.Over-j.close.list[k].d, 1)
		case fewer && k < len(j.barely.list):
			return j.barely.list[k].d - j.c.Over
		}
	}
	return 0
}
