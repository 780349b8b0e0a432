package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/nolive/nolive/harness/analysis"
)

// FanOut asserts how many attempts each request of a traffic caused. A "no live
// upstreams" is no attempt. It holds for every single request that it looks at,
// and it fails when there is none.
type FanOut struct {
	// Of is the traffic.
	Of string `yaml:"of"`
	// Status takes only requests whose client saw this.
	Status Answer `yaml:"status,omitempty"`
	// Each is the number of attempts of each request.
	Each Span `yaml:"each,omitempty"`
	// Distinct is about the number of different backends of each request.
	Distinct Distinct `yaml:"distinct,omitempty"`
	// During takes only requests sent in a window.
	During Window `yaml:"during,omitempty"`
}

// Distinct is the number of different backends that one request was tried on.
// A scenario writes the number, or true to make `each` mean it: `each: 4,
// distinct: true` and `distinct: 4` ask the same.
type Distinct struct {
	Span
	// Each is true when `each` is that number.
	Each bool
}

// UnmarshalText reads true, false or a span.
func (d *Distinct) UnmarshalText(text []byte) error {
	var t Truth
	if t.UnmarshalText(text) == nil {
		*d = Distinct{Each: t == Yes}
		return nil
	}
	s, err := ParseSpan(string(text), Count)
	if err != nil {
		return fmt.Errorf("%w; want a number of backends, or true", err)
	}
	*d = Distinct{Span: s}
	return nil
}

var _ Definition = FanOut{}

// Kind is "fan_out".
func (FanOut) Kind() string { return "fan_out" }

// String is the check as a scenario writes it.
func (c FanOut) String() string {
	t := write(c.Kind()).str("of", c.Of).str("status", string(c.Status)).span("each", c.Each)
	if c.Distinct.Each {
		t.value("distinct", "true")
	} else {
		t.span("distinct", c.Distinct.Span)
	}
	return t.str("during", c.During.String()).String()
}

// Validate implements Definition.
func (c FanOut) Validate() []Problem {
	var p problems
	p.need("of", c.Of, "managers")
	p.answer("status", c.Status)
	switch {
	case c.Distinct.Each && !c.Each.Set:
		p.add("each", "is missing: distinct: true counts different backends, write how many, or distinct: 4")
	case !c.Each.Set && !c.Distinct.Set:
		p.add("each", "is missing: write each: 4 for attempts, or distinct: 4 for different backends")
	}
	p.span("each", c.Each, Count)
	p.span("distinct", c.Distinct.Span, Count)
	p.during(c.During)
	return p
}

// Refs implements Definition.
func (c FanOut) Refs() Refs { return refs(c.Of, "", c.During) }

// Start implements Check.
func (c FanOut) Start() Judge {
	is, _ := c.Status.selector()
	return &fanOutJudge{scope: scope{of: c.Of, during: c.During}, c: c, is: is}
}

type fanOutJudge struct {
	scope
	c                  FanOut
	is                 selector
	judged             int
	attempts, backends histogram
	bad                int
	proof              proof
}

// Exchange judges a request. One that the run's end cut off had a chance of
// more attempts, so it can only offend by having too many already.
func (j *fanOutJudge) Exchange(x *analysis.Exchange) {
	if !j.take(x) || !j.is.matches(x.Seen()) {
		return
	}
	attempts, backends := len(x.Attempts), different(x.Attempts)
	cut := x.Outcome == 0 && !j.is.word
	bad := j.offends(attempts, backends, cut)
	if cut && !bad {
		return
	}
	j.judged++
	j.attempts.add(attempts)
	j.backends.add(backends)
	if bad {
		j.bad++
		if !j.proof.full() {
			j.proof.add(append(starts(x), response(x))...)
		}
	}
}

func (j *fanOutJudge) offends(attempts, backends int, cut bool) bool {
	offends := func(want Span, n int) bool {
		if !want.Set {
			return false
		}
		return want.above(float64(n)) || !cut && !want.Has(float64(n))
	}
	each := attempts
	if j.c.Distinct.Each {
		each = backends
	}
	return offends(j.c.Each, each) || offends(j.c.Distinct.Span, backends)
}

func (j *fanOutJudge) Verdict(Run) Verdict {
	nothing := j.nothingSent()
	if nothing == "" && j.judged == 0 {
		nothing = fmt.Sprintf("no request of %s ended before the run did", j.c.Of)
		if j.c.Status != "" {
			nothing = fmt.Sprintf("no request of %s ended as %s, of %d", j.c.Of, j.c.Status, j.in)
		}
	}
	var want, got []string
	say := func(s Span, noun string, h histogram) {
		if !s.Set {
			return
		}
		if s != Exactly(1) {
			noun += "s"
		}
		want, got = append(want, s.String()+" "+noun+" each"), append(got, h.String(strings.TrimSuffix(noun, "s")))
	}
	if j.c.Distinct.Each {
		say(j.c.Each, "backend", j.backends)
	} else {
		say(j.c.Each, "attempt", j.attempts)
		say(j.c.Distinct.Span, "backend", j.backends)
	}
	return verdict(j.c, nothing, finding{
		want: strings.Join(want, ", "), got: strings.Join(got, "; "), ok: j.bad == 0, proof: j.proof,
	})
}

// different counts the backends of a request. Attempts are few.
func different(attempts []analysis.Attempt) (n int) {
	for i := range attempts {
		if !slices.ContainsFunc(attempts[:i], func(a analysis.Attempt) bool { return a.Peer == attempts[i].Peer }) {
			n++
		}
	}
	return n
}

// histogram counts requests by a small number.
type histogram []int

func (h *histogram) add(n int) {
	for len(*h) <= n {
		*h = append(*h, 0)
	}
	(*h)[n]++
}

// String is "4 attempts in 12 requests, 3 in 2", the most frequent first.
func (h histogram) String(noun string) string {
	var numbers []int
	for n, requests := range h {
		if requests > 0 {
			numbers = append(numbers, n)
		}
	}
	slices.SortStableFunc(numbers, func(a, b int) int { return cmp.Compare(h[b], h[a]) })
	var parts []string
	for i, n := range numbers {
		if i == 0 {
			parts = append(parts, fmt.Sprintf("%s in %s", plural(n, noun), plural(h[n], "request")))
			continue
		}
		parts = append(parts, fmt.Sprintf("%d in %d", n, h[n]))
	}
	return listed(parts, ", ", 5)
}
