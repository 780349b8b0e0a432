package check

import (
	"fmt"
	"strings"

	"github.com/nolive/nolive/harness/analysis"
)

// Latency asserts quantiles of the time from the planned send to the end of the
// answer. A request that the run's end cut off counts with the time it had
// waited, so a hang can't look fast. A quantile is the nearest rank: the
// smallest value that at least that share of the requests doesn't exceed. It is
// exact up to 4096 requests, above that to three digits; Max is always exact.
type Latency struct {
	// Of is the traffic.
	Of string `yaml:"of"`
	// Status takes only requests whose client saw this.
	Status Answer `yaml:"status,omitempty"`
	// P50 to Max are what is asserted, at least one of them.
	P50 Span `yaml:"p50,omitempty"`
	P90 Span `yaml:"p90,omitempty"`
	P95 Span `yaml:"p95,omitempty"`
	P99 Span `yaml:"p99,omitempty"`
	Max Span `yaml:"max,omitempty"`
	// During takes only requests sent in a window.
	During Window `yaml:"during,omitempty"`
}

var _ Definition = Latency{}

// quantile is one key of Latency.
type quantile struct {
	key   string
	share float64
	want  Span
}

func (c Latency) quantiles() []quantile {
	return []quantile{{"p50", 0.50, c.P50}, {"p90", 0.90, c.P90}, {"p95", 0.95, c.P95}, {"p99", 0.99, c.P99}, {"max", 1, c.Max}}
}

// Kind is "latency".
func (Latency) Kind() string { return "latency" }

// String is the check as a scenario writes it.
func (c Latency) String() string {
	t := write(c.Kind()).str("of", c.Of).str("status", string(c.Status))
	for _, q := range c.quantiles() {
		t.span(q.key, q.want)
	}
	return t.str("during", c.During.String()).String()
}

// Validate implements Definition.
func (c Latency) Validate() []Problem {
	var p problems
	p.need("of", c.Of, "curl")
	p.answer("status", c.Status)
	set := false
	for _, q := range c.quantiles() {
		set = set || q.want.Set
		p.span(q.key, q.want, Seconds)
	}
	if !set {
		p.add("", `asserts nothing: write p99: "< 5s", or p50, p90, p95, max`)
	}
	p.during(c.During)
	return p
}

// Refs implements Definition.
func (c Latency) Refs() Refs { return refs(c.Of, "", c.During) }

// Start implements Check.
func (c Latency) Start() Judge {
	is, _ := c.Status.selector()
	return &latencyJudge{scope: scope{of: c.Of, during: c.During}, c: c, is: is, slow: extremes{sign: 1}, fast: extremes{sign: -1}}
}

type latencyJudge struct {
	scope
	c          Latency
	is         selector
	values     analysis.Latencies
	slow, fast extremes
}

func (j *latencyJudge) Exchange(x *analysis.Exchange) {
	if !j.take(x) || !j.is.matches(x.Seen()) {
		return
	}
	d := x.Latency()
	j.values.Add(d)
	j.slow.add(d, x)
	j.fast.add(d, x)
}

func (j *latencyJudge) Verdict(Run) Verdict {
	nothing := j.nothingSent()
	if nothing == "" && j.values.Len() == 0 {
		nothing = fmt.Sprintf("no request of %s ended as %s, of %d", j.c.Of, j.c.Status, j.in)
	}
	f := finding{ok: true}
	var want, got []string
	for _, q := range j.c.quantiles() {
		if !q.want.Set {
			continue
		}
		v := j.values.Quantile(q.share)
		want = append(want, q.key+" "+q.want.String())
		got = append(got, q.key+" "+seconds(v))
		f.missed = max(f.missed, q.want.miss(v.Seconds()))
		if q.want.Has(v.Seconds()) || !f.ok {
			continue
		}
		f.ok, f.proof = false, j.fast.outside(q.want)
		if q.want.above(v.Seconds()) {
			f.proof = j.slow.outside(q.want)
		}
	}
	f.want = strings.Join(want, ", ")
	f.got = fmt.Sprintf("%s (%s)", strings.Join(got, ", "), plural(j.values.Len(), "request"))
	return verdict(j.c, nothing, f)
}
